// The control socket: lets the operator's command line use the running server, since only one process can open the embedded stores. It
// speaks HTTP over a Unix socket in DATA_DIR that only the server's own user can open. Answers are lines of JSON: any number of `{ progress
// }`, then one `{ result }` or `{ error }`.
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import type { App } from '../app.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { habitsOfRequest, inHabits } from '../process/habits.ts';
import { readJson } from '../process/http/body.ts';
import type { Log } from '../process/log.ts';
import { isAnswered, isNobody, socketPath } from '../process/unix-socket.ts';
import { currentHabits } from '../vocabulary/habits/habits.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { silenceOf } from './command-line.ts';
import { isOperation, type OperationName, runOperation } from './operations.ts';
import type { Progress } from './progress.ts';

const SOCKET_FILE = 'control.sock';
const MAX_BODY_BYTES = 64 * 1024;
const PROGRESS_EVERY_MS = 100;

type Line = { progress: Progress } | { result: unknown } | { error: string };

export async function openControl(options: {
  app: App;
  dataDir: string;
  log: Log;
}): Promise<{ close(): Promise<void> }> {
  const { app, log } = options;
  const path = socketPath(options.dataDir, SOCKET_FILE);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const habits = habitsOfRequest(incoming.headers['accept-language']);
    const answered: Promise<void> = inHabits(habits, () =>
      answer(incoming, response, { app, log, stopping: stopping.signal }),
    ).finally(() => running.delete(answered));
    running.add(answered);
  });
  // If another process answers on it, that process keeps it.
  if (await isAnswered(path)) {
    log.warn({ path }, 'another process has the control socket: commands go to that process');
    return { close: () => Promise.resolve() };
  }
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    close: async () => {
      server.close();
      stopping.abort();
      await Promise.all(running);
      server.closeAllConnections();
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { app, log, stopping }: { app: App; log: Log; stopping: AbortSignal },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const send = (line: Line) => void response.write(`${JSON.stringify(line)}\n`);
  try {
    const name = incoming.url?.slice(1) ?? '';
    if (incoming.method !== 'POST' || !isOperation(name))
      throw new Refusal('not_found', t('There is no such command.'));
    const options = await readJson(incoming, { maxBytes: MAX_BODY_BYTES, types: ['application/json'] });
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    let sentAt = -Infinity;
    const result = await runOperation(name, app, options, {
      now: app.services.now(),
      signal: AbortSignal.any([gone.signal, stopping]),
      onProgress: (progress) => {
        const at = performance.now();
        if (at - sentAt < PROGRESS_EVERY_MS && progress.done < progress.total) return;
        sentAt = at;
        send({ progress });
      },
    });
    send({ result });
  } catch (error) {
    if (error instanceof Refusal) send({ error: error.message });
    else if (error instanceof Unavailable) send({ error: silenceOf(error) });
    else {
      log.error({ error, command: incoming.url }, 'a command failed');
      send({ error: t('The server failed: see its log for the reason.') });
    }
  }
  response.end();
}

/** Lets the running server do the work. Returns undefined if no server is running. Throws the server's error as a Refusal. */
export async function askServer(
  dataDir: string,
  name: OperationName,
  options: unknown,
  onProgress: (progress: Progress) => void,
): Promise<{ result: unknown } | undefined> {
  const asking = request({
    socketPath: socketPath(dataDir, SOCKET_FILE),
    agent: false,
    path: `/${name}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': currentHabits().language },
  });
  asking.end(JSON.stringify(options));
  let response: IncomingMessage;
  try {
    [response] = (await once(asking, 'response')) as [IncomingMessage];
  } catch (error) {
    if (isNobody(error)) return undefined;
    throw error;
  }
  try {
    for await (const text of createInterface(response)) {
      const line = JSON.parse(text) as Line;
      if ('result' in line) return line;
      if ('error' in line) throw new Refusal('bad_request', line.error);
      onProgress(line.progress);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  throw new Refusal(
    'service_unavailable',
    t('The server stopped before the command was done: run the same command again.'),
  );
}
