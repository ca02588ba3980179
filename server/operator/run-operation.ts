// Runs an operation in the running server, or in this process if no server is running.
import type { Config } from '../config.ts';
import { askServer } from './control-socket.ts';
import { Refusal } from '../errors.ts';
import { openLog } from '../process/log.ts';
import { t } from '../vocabulary/habits/messages.ts';
import type { Progress } from './progress.ts';
import type { OperationName } from './operations.ts';

type Context = {
  config: Config;
  now: number;
  onProgress: (progress: Progress) => void;
  /** Refuses if no server is running. */
  onlyRunning?: boolean | undefined;
};

export async function operate(name: OperationName, options: unknown, context: Context): Promise<unknown> {
  const { config, now, onProgress } = context;
  const answer = await askServer(config.DATA_DIR, name, options, onProgress);
  if (answer) return answer.result;
  if (context.onlyRunning)
    throw new Refusal('service_unavailable', t('No server is running with this DATA_DIR: start it first.'));
  // All of the program: a command that a running server carries out need not load it.
  const [{ openApp }, { runOperation }, { upgradeFirst }] = await Promise.all([
    import('../app.ts'),
    import('./operations.ts'),
    import('./upgrade.ts'),
  ]);
  const log = openLog(config.LOG_LEVEL === 'debug' ? 'debug' : 'warn');
  const app = await upgradeFirst({ config, log }, (earlier) => openApp({ config, log, earlier }));
  try {
    app.start(); // the writer empties the queue while the operation fills it
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    const result = await runOperation(name, app, options, { now, onProgress, signal: interrupted.signal });
    if (config.ROLE !== 'web') await app.writer.drain();
    return result;
  } finally {
    await app.close();
  }
}
