// The sessions of the engine, for statements as they come over HTTP: with settings, and values for the placeholders `{name:Type}`.
import { setTimeout as pause } from 'node:timers/promises';
import { Session } from 'chdb';
import { quoted } from '../literal.ts';

export type Statement = {
  sql: string;
  /** The rows of an INSERT, in the format that the statement names. */
  rows?: Buffer | undefined;
  settings: ReadonlyMap<string, string>;
  /** In ClickHouse's escaped format. */
  values: ReadonlyMap<string, string>;
  /** Aborted when the requester has left: the statement is then ended. */
  signal?: AbortSignal | undefined;
};

/**
 * The engine compiles an expression that it meets for the fourth time, for 40 to 140 ms of CPU, and again when a constant of it differs.
 * Our answers are over before that pays: on 5 million events they take as long without.
 */
const UNCOMPILED = 'compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0';
/** The settings of one statement, with what they are for others. A session that can only read cannot set them, and needs none. */
const OF_STATEMENT = { insert_deduplication_token: '', insert_deduplicate: '1' };
/** A statement that has just been sent may not be known to the engine yet when its requester leaves. */
const RETRY_MS = 20;
/** Each has five threads, so those that are rarely used are closed. */
const MOST_FREE = 16;

export function openSessions(path: string) {
  /** The free ones with their settings, the longest unused first. */
  const free: { session: Session; settings: string }[] = [];
  const ender = openEnder(new Session(path)); // the folder stays open as long as one session is

  const take = async (settings: string): Promise<Session> => {
    const index = free.findLastIndex((one) => one.settings === settings);
    const [found] = index < 0 ? [] : free.splice(index, 1);
    if (found) return found.session;
    const session = new Session(path);
    await session.queryAsync(`SET ${[UNCOMPILED, settings].filter(Boolean).join(', ')}`);
    return session;
  };
  const giveBack = (session: Session, settings: string) => {
    free.push({ session, settings });
    if (free.length > MOST_FREE) free.shift()?.session.close();
  };
  return {
    async run({ sql, rows, settings: all, values, signal }: Statement): Promise<Buffer> {
      const isReading = all.get('readonly') === '1';
      // Values of earlier queries are still set, so a query that lacks one must not run with an old one.
      if (isReading)
        for (const [, name = ''] of sql.matchAll(/\{(\w+):/g))
          if (!values.has(name)) throw new Error(`A query lacks its value ${name}.`);
      const settings = list([...all].filter(([name]) => !Object.hasOwn(OF_STATEMENT, name) && name !== 'readonly'));
      const ofSession = [settings, ...(isReading ? ['readonly = 1'] : [])].filter(Boolean).join(', '); // nothing can be set after `readonly`
      const ofStatement = Object.entries(OF_STATEMENT).map(([name, usual]) => [name, all.get(name) ?? usual] as const);
      const session = await take(ofSession);
      const run = async (text: string): Promise<Buffer> => {
        const result = await session.queryAsync(text);
        const bytes = result.bytes();
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      };
      try {
        // TRICKY: the engine's own binding of values keeps them in one place, so it runs one query at a time in the whole process: a slow query
        // would hold up all others. Values are therefore set as parameters of the session, which no other session sees.
        const before = [
          ...[...values].map(([name, value]) => [`param_${name}`, value] as const),
          ...(isReading ? [] : ofStatement),
        ];
        if (before.length > 0) await session.queryAsync(`SET ${list(before)}`);
        const text = rows ? Buffer.concat([Buffer.from(`${sql}\n`), rows]).toString() : sql;
        const answer = signal ? await ender.endable(text, signal, run) : await run(text);
        giveBack(session, ofSession);
        return answer;
      } catch (error) {
        // TRICKY: rows that a query had already returned when it failed appear at the start of the session's next result, which may be another
        // account's. A session whose statement failed is therefore never used again.
        session.close();
        throw error;
      }
    },
  };
}

/** Only another session can end a statement. The engine has ids of its own, so each statement has a mark in its text. */
function openEnder(session: Session) {
  let marks = 0;
  /** Returns whether the statement is running. */
  const end = async (mark: string): Promise<boolean> => {
    const killed = await session.queryAsync(`KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`);
    return killed.bytes().length > 0;
  };
  return {
    endable: async (sql: string, signal: AbortSignal, run: (sql: string) => Promise<Buffer>): Promise<Buffer> => {
      signal.throwIfAborted();
      const mark = `/* ${(marks += 1)} */`;
      let isOver = false;
      const endIt = async () => {
        while (!isOver && !(await end(mark).catch(() => true))) await pause(RETRY_MS); // the limits end it, too
      };
      const leave = () => void endIt();
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await run(`${mark} ${sql}`);
      } finally {
        isOver = true;
        signal.removeEventListener('abort', leave);
      }
    },
  };
}

const list = (settings: readonly (readonly [string, string])[]): string =>
  settings.map(([name, value]) => `${name} = ${quoted(value)}`).join(', ');
