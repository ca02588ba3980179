// The server process: reads the configuration, opens the stores, listens, and stops in order.
import { firstStartToken } from './accounts/first-start.ts';
import { openApp } from './app.ts';
import { workersOf } from './collect/workers/count.ts';
import { openEntrance } from './collect/workers/entrance.ts';
import { type Config, ConfigError, hostInUrl, readEnvironment } from './config.ts';
import { Unavailable } from './errors.ts';
import { openControl } from './operator/control-socket.ts';
import { upgradeFirst } from './operator/upgrade.ts';
import { keepMemoryOutOfDumps } from './process/core-dumps.ts';
import { hasLittleMemory, memoryOfMachine } from './process/bounded-memory.ts';
import { openLog } from './process/log.ts';
import { releaseStartMemory } from './process/start-memory.ts';
import { startWatchdog } from './process/watchdog.ts';
import { keepHeapLimitsOfThreads, keepHeapSmall } from './process/v8-heap.ts';

keepHeapLimitsOfThreads();
keepMemoryOutOfDumps();
process.umask(0o077); // only this user can read files that the process writes
const config = configOrExit();
const log = openLog(config.LOG_LEVEL);
const watchdog = startWatchdog({ log, logLevel: config.LOG_LEVEL });
const workers = workersOf(config);
if (hasLittleMemory()) {
  keepHeapSmall();
  log.warn(
    { memory_mb: Math.round(memoryOfMachine() / 1024 ** 2) },
    'there is little memory: two questions of members and two of viewers are answered at a time, the largest may be refused, and caches are small',
  );
}
const app = await upgradeFirst({ config, log }, (earlier) =>
  openApp({ config, hasWorkers: workers > 1, log, earlier }),
).catch((error: unknown) => exitWith(sentenceOf(error)));

const entrance = await openEntrance({ server: app.server, config, workers, log }).catch((error: unknown) =>
  exitWith(sentenceOf(error)),
);
const { port } = entrance;
app.start();
watchdog.enter('running');
const control = await openControl({ app, dataDir: config.DATA_DIR, log });

// An unhandled rejection is a bug of ours, but no reason to end the process and drop all other requests.
process.on('unhandledRejection', (error) => log.error({ error }, 'a promise rejection was not handled'));

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    if (stopping) return;
    if (config.NODE_ENV === 'development') process.exit(0); // Vite's open socket would delay the restart
    stopping = true;
    watchdog.enter('stopping');
    log.info({ signal }, 'stopping');
    void control
      .close()
      .then(() => entrance.stop())
      .then(() => app.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ error }, 'the server did not shut down cleanly');
          process.exit(1);
        },
      );
  });

const scheme = config.TLS_CERT ? 'https' : 'http';
const base =
  config.BASE_URL ??
  `${scheme}://${config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : hostInUrl(config.HOST)}:${port}`;
const token = await firstStartToken(app.services.directory, Date.now());
// The only output for people. Everything else on stdout is the log.
process.stdout.write(
  `\nFootfall is at ${base}${token ? `/setup?token=${token}  (open it to create the first account)` : ''}\n\n`,
);
await releaseStartMemory();

function configOrExit(): Config {
  try {
    return readEnvironment();
  } catch (error) {
    if (error instanceof ConfigError) exitWith(error.message);
    throw error;
  }
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    return `Port ${config.PORT} is in use: stop the program that uses it, or set PORT to another port.`;
  if (code === 'EACCES') return `${error.message}: choose a port above 1023, or a DATA_DIR that is writable.`;
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  if (error instanceof Unavailable) {
    const setting = { events: 'CLICKHOUSE_URL', directory: 'DATABASE_URL', queue: 'REDIS_URL', live: 'REDIS_URL' }[
      error.store
    ];
    return `${setting}: nothing answers at this address${cause}.`;
  }
  return `${error.message}${cause}`;
}

function exitWith(message: string): never {
  process.stderr.write(`Footfall did not start. ${message}\n`);
  process.exit(1);
}
