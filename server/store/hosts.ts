// The servers of CLICKHOUSE_URL. Several of them are hosts of one cluster, and any of them can be asked.
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { Unavailable } from '../errors.ts';
import { translate } from './errors.ts';

/** What the store needs of a client. */
export type Client = Pick<ClickHouseClient, 'query' | 'insert' | 'exec' | 'close'> & {
  command(asked: Parameters<ClickHouseClient['command']>[0]): Promise<unknown>;
};
export type ClientOptions = { request_timeout: number; clickhouse_settings?: ClickHouseSettings };

/** The client would print errors too, but the caller already logs them. */
export const QUIET = { level: ClickHouseLogLevel.OFF };

/** Rows are arrays or objects: a text among them is lines that are JSON already. */
export const ROWS_OR_LINES = {
  parse: <Value>(text: string) => JSON.parse(text) as Value,
  stringify: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
};

/** Errors of a connection that was never made: the request can be sent to another host. */
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Returns a function that opens clients. All of them ask one host until it fails, and then the next. */
export function openHosts(addresses: readonly string[]): (options: ClientOptions) => Client {
  let current = process.pid % addresses.length; // processes begin at different hosts
  return (options) => {
    const clients = addresses.map((url) => createClient({ url, ...options, log: QUIET, json: ROWS_OR_LINES }));
    const [only] = clients;
    if (only && clients.length === 1) return only;

    /** `isOnce`: what is sent can be read only once, so a failure is the caller's. */
    const ask = async <Answer>(
      work: (client: ClickHouseClient) => Promise<Answer>,
      isOnce = false,
    ): Promise<Answer> => {
      for (let tried = 1; ; tried += 1) {
        const asked = current;
        try {
          return await work(clients[asked] as ClickHouseClient);
        } catch (error) {
          // A host that answers may still be cut off from the others.
          if (asked === current && translate(error) instanceof Unavailable) current = (current + 1) % clients.length;
          const { code = '' } = error as NodeJS.ErrnoException;
          if (isOnce || !UNREACHABLE.test(code) || tried === clients.length) throw error;
        }
      }
    };
    return {
      query: (asked) => ask((client) => client.query(asked)),
      exec: (asked) => ask((client) => client.exec(asked)),
      command: (asked) => ask((client) => client.command(asked)),
      insert: (asked) => ask((client) => client.insert(asked), !Array.isArray(asked.values)),
      close: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  };
}

/** Settings as a server takes them. */
export const textsOf = (settings: Record<string, number | string>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
