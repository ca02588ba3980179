// The crew: starts the workers, replaces those that end, and stops them. They share one port, and their connections are dealt out in turns.
import cluster, { type Address, type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../process/log.ts';

/** V8's limit of a worker, from which those of its caches follow: see process/bounded-memory.ts. */
const HEAP_MB = 512;
/** A worker that ended this soon would probably end again, so the next one waits. */
const SOON_MS = 2000;
/** Longer than a worker gives its running requests. */
const STOP_MS = 10_000;

/** A worker's message instead of listening. */
export type FailedToStart = { failed: string; code: string | undefined };

export type Crew = {
  port: number;
  /** Lets running requests finish. Call it before the process with the stores stops answering. */
  stop(): Promise<void>;
};

/** `path`: the Unix socket on which this process answers workers. Throws if the port cannot be opened. */
export async function startCrew({ count, path, log }: { count: number; path: string; log: Log }): Promise<Crew> {
  const exec = fileURLToPath(new URL('./main.ts', import.meta.url));
  const setUp = (args: string[]) =>
    cluster.setupPrimary({ exec, args, execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB}`] });
  let isStopping = false;

  const replace = (worker: Worker) => {
    const startedAt = performance.now();
    const onExit = (code: number | null, signal: string | null) => {
      if (isStopping) return;
      const delayMs = performance.now() - startedAt < SOON_MS ? SOON_MS : 0;
      log.warn({ pid: worker.process.pid, code, signal }, 'a worker ended: another one takes its place');
      setTimeout(() => {
        if (!isStopping) replace(cluster.fork());
      }, delayMs);
    };
    // One may have ended while the others started.
    if (worker.isDead()) onExit(worker.process.exitCode, worker.process.signalCode);
    else worker.once('exit', onExit);
  };

  setUp([path]);
  const first = Array.from({ length: count }, () => cluster.fork());
  const started = await Promise.all(first.map(listening)).catch((error: unknown) => {
    for (const worker of first) worker.kill('SIGKILL');
    throw error;
  });
  const port = started[0]?.port ?? 0;
  setUp([path, String(port)]); // also if it was chosen by the system
  first.forEach(replace);

  return {
    port,
    stop: async () => {
      isStopping = true;
      await Promise.all(Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [end(worker)] : [])));
    },
  };
}

async function listening(worker: Worker): Promise<Address> {
  return new Promise((resolve, reject) => {
    worker.once('listening', resolve);
    worker.once('message', ({ failed, code }: FailedToStart) => reject(Object.assign(new Error(failed), { code })));
    worker.once('exit', () => reject(new Error('A process for HTTP requests ended while it started.')));
  });
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, 'exit');
  const late = setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS);
  worker.send('stop', () => undefined); // one that has just died has nothing to stop
  await exited;
  clearTimeout(late);
}
