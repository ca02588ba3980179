// The process of the embedded engine: chDB behind ClickHouse's HTTP protocol, on a Unix socket that only the server's own user can open.
// supervisor.ts starts it, and tells it what to open and when to end.
import { existsSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { constants, getPriority, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { Answer, Order, Work } from './messages.ts';
import { openSessions, type Statement } from './sessions.ts';
import { restoreFatalSignals } from './signals.ts';

// Accepting events goes before storing and asking: after a kill of the engine, its start kept `POST /foot` waiting. Threads that start later get the same.
try {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  setPriority(Math.min(PRIORITY_LOW, getPriority() + PRIORITY_BELOW_NORMAL)); // of the server's own
} catch {
  // A sandbox may forbid it.
}
process.umask(0o077); // only this user can open the socket, and read the files
// Signals are sent to the whole group, such as by Ctrl-C, but the server still writes what it has accepted: it says when to end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
// Without its server, it must leave the folder to the next.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
new Worker(new URL('./orphan-thread.ts', import.meta.url), {
  workerData: process.ppid,
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
}).unref();

/** Long lists of ids, and the longest lists of filters, come as values in the address. */
const MAX_ADDRESS_BYTES = 16_000_000;
/** Parameters of the protocol that are no settings of a session. */
const NOT_SETTINGS =
  /^(query|query_id|database|session_id|role|default_format|param_.*|enable_http_compression|wait_end_of_query|cancel_http_readonly_queries_on_client_close)$/;

process.once('message', ({ path, socket }: Work) => {
  try {
    if (!existsSync(path)) throw new Error('there is no such folder'); // the engine would make an empty one
    const sessions = openSessions(path);
    restoreFatalSignals();
    const server = listen(sessions);
    rmSync(socket, { force: true }); // of a process that was killed: this one has the folder now
    server.listen(socket, () => answer('open'));
    process.on('message', (order: Order) => {
      if (order === 'ping') answer('pong');
      else server.close(() => process.kill(process.pid, 'SIGKILL')); // all is on disk; closing the engine sometimes never ends
    });
  } catch (error) {
    answer({ cannotOpen: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect();
  }
});

function answer(message: Answer): void {
  process.send?.(message);
}

function listen(sessions: ReturnType<typeof openSessions>) {
  return createServer(
    { maxHeaderSize: MAX_ADDRESS_BYTES, keepAliveTimeout: 0, requestTimeout: 0 },
    (request, response) => {
      const left = new AbortController();
      response.once('close', () => left.abort());
      void statementOf(request, left.signal)
        .then(sessions.run)
        .then(
          (answer) => response.end(answer),
          (error: unknown) => {
            const message = error instanceof Error ? error.message : String(error);
            response.writeHead(500, { 'x-clickhouse-exception-code': /^Code: (\d+)/.exec(message)?.[1] ?? '1' });
            response.end(message);
          },
        );
    },
  );
}

async function statementOf(request: IncomingMessage, left: AbortSignal): Promise<Statement> {
  const { searchParams } = new URL(request.url ?? '/', 'http://engine');
  const body = await buffer(request);
  const named = searchParams.get('query');
  const parameters = [...searchParams];
  const settings = new Map(parameters.filter(([name]) => !NOT_SETTINGS.test(name)));
  return {
    sql: named ?? body.toString(),
    rows: named === null ? undefined : body,
    settings,
    values: new Map(
      parameters.flatMap(([name, value]) => (name.startsWith('param_') ? [[name.slice('param_'.length), value]] : [])),
    ),
    signal: settings.get('readonly') === '1' ? left : undefined, // what writes is never ended half-way
  };
}
