// chDB behind ClickHouse's HTTP protocol, in its own process, so that the real client uses a real socket. No ClickHouse server binary is
// available where the tests run, so this server understands only what the client sends.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createChdbConnection } from 'chdb/connection';
import { createClient } from '@clickhouse/client';
import { forOneProcess, openClusterEngine } from './clickhouse-cluster.ts';

const [path = '', port = '', localShard] = process.argv.slice(2);
/** Clients of one process share its engine, whose clusters come from the first of them. */
const engine = localShard === undefined ? undefined : await openClusterEngine(path, localShard === '0' ? 0 : 1);
const open = () => createClient({ connection: createChdbConnection({ path }) as never });
const writer = open();
const ender = open();
/** Those that are free, by database. */
const readers = new Map<string, (typeof writer)[]>();
/** The statements that were sent, for tests that read them. */
const statements: string[] = [];
/** Faults that a test asks for, one request each: `refuse` before the work, `reset` after it. */
const faults: ('refuse' | 'reset')[] = [];

/** The last one: the engine cannot ask itself over the network. */
const NOT_SETTINGS =
  /^(query|query_id|database|session_id|param_.*|readonly|enable_http_compression|wait_end_of_query|default_format|role|prefer_localhost_replica)$/;

/** chDB keeps the settings of a connection, and a server those of a request. */
const OF_EVERY_REQUEST = { insert_deduplication_token: '', insert_deduplicate: '1' };

/** As a server does with reading queries whose client has gone, where it was asked to. */
async function endOnceGone(mark: string, response: ServerResponse): Promise<void> {
  await once(response, 'close');
  while (!response.writableEnded && !response.errored) {
    const { stream } = await ender.exec({ query: `KILL QUERY WHERE startsWith(query, '${mark}') ASYNC` });
    if ((await stream.toArray()).length > 0) return;
    await setTimeout(10);
  }
}

const server = createServer((request, response) => {
  void answer(request, response).then(
    ({ text, format }) => {
      if (faults[0] === 'reset' && request.method === 'POST') {
        faults.shift();
        request.socket.destroy();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/plain', 'x-clickhouse-format': format });
      response.end(text);
    },
    (error: unknown) => {
      const { code = '1', type = 'UNKNOWN', message } = error as Error & { code?: string; type?: string };
      response.writeHead(500, { 'x-clickhouse-exception-code': code });
      response.end(`Code: ${code}. DB::Exception: ${message} (${type}) (version 26.7)`);
    },
  );
});

/** `text`: bytes, since some formats are binary. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ text: string | Buffer; format: string }> {
  const url = new URL(request.url ?? '/', 'http://host');
  if (url.pathname === '/ping') return { text: 'Ok.\n', format: 'TabSeparated' };
  if (url.pathname === '/faults') {
    faults.push(...((url.searchParams.get('next')?.split(',') ?? []) as typeof faults));
    return { text: '', format: 'TabSeparated' };
  }
  if (url.pathname === '/statements') return { text: JSON.stringify(statements), format: 'JSON' };
  if (faults[0] === 'refuse') {
    faults.shift();
    throw Object.assign(new Error('Too many simultaneous queries'), {
      code: '202',
      type: 'TOO_MANY_SIMULTANEOUS_QUERIES',
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const named = url.searchParams.get('query');
  /** Those of an insert come apart from its text, as the client trims that: a last cell that is empty would lose its tab. */
  const rows = named === null ? '' : body;
  const sent = named ?? body;
  statements.push(sent);
  const query = engine ? await forOneProcess(sent, (check) => writer.command({ query: check })) : sent;
  if (query === undefined) return { text: '', format: 'TabSeparated' };
  const entries = [...url.searchParams];
  const params = Object.fromEntries(
    entries.flatMap(([name, value]) =>
      name.startsWith('param_') ? [[name.slice('param_'.length), readParam(value)]] : [],
    ),
  );
  const settings = Object.fromEntries(entries.filter(([name]) => !NOT_SETTINGS.test(name)));

  if (url.searchParams.get('readonly') === '1') {
    const database = url.searchParams.get('database') ?? 'default';
    const free = readers.get(database) ?? [];
    readers.set(database, free);
    const reader = free.pop() ?? (await openReader(database, settings));
    const mark = `/* ${url.searchParams.get('query_id')} */`;
    if (settings['cancel_http_readonly_queries_on_client_close'] === '1') void endOnceGone(mark, response);
    try {
      const found = await run(reader, `${mark} ${query}`, params, {});
      free.push(reader);
      return found;
    } catch (error) {
      await reader.close(); // on this connection, chDB would return the failed query's rows before the next answer; ClickHouse does not
      throw error;
    }
  }
  // As in ClickHouse 26.2 and later, an insert is asynchronous unless it says otherwise, and by default those recognise no repetition.
  const isAsync = settings['async_insert'] !== '0';
  const own = isAsync ? { ...settings, insert_deduplication_token: randomUUID() } : settings;
  return run(writer, query, params, { ...OF_EVERY_REQUEST, ...own }, rows);
}

async function openReader(database: string, settings: Record<string, string>): Promise<typeof writer> {
  const reader = open();
  await reader.command({ query: `USE ${database}` });
  for (const [name, value] of Object.entries(settings)) await reader.command({ query: `SET ${name} = '${value}'` });
  await reader.command({ query: 'SET readonly = 1' });
  return reader;
}

async function run(
  client: typeof writer,
  query: string,
  params: Record<string, unknown>,
  settings: Record<string, string>,
  rows = '',
) {
  const format = /FORMAT\s+(\w+)\s*$/i.exec(query)?.[1] ?? 'TabSeparated';
  const result = await client.exec({
    query,
    query_params: params,
    clickhouse_settings: settings,
    ...(rows !== '' && { values: Readable.from([rows]) }),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of result.stream) chunks.push(Buffer.from(chunk as Buffer));
  return { text: Buffer.concat(chunks), format };
}

/** Parameters come as ClickHouse's escaped text. Besides scalars only arrays of quoted strings are sent. */
function readParam(text: string): unknown {
  const unescape = (part: string) =>
    part.replace(
      /\\(.)/gs,
      (_, char: string) => ({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' })[char] ?? char,
    );
  if (!text.startsWith('[')) return unescape(text);
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'/gs)].map(([, item = '']) => unescape(item));
}

server.listen(Number(port), '127.0.0.1');
