// A worker: a process that takes HTTP requests, started by crew.ts with the Unix socket of the process that owns the stores, and the port
// if an earlier worker has got one. It has no state: killed at any moment, it loses only requests that nobody has answered.
import { openGeo } from '../places/geo.ts';
import { readEnvironment } from '../../config.ts';
import { openLog } from '../../process/log.ts';
import { startWatchdog } from '../../process/watchdog.ts';
import { releaseStartMemory } from '../../process/start-memory.ts';
import { openFront } from './front.ts';
import type { FailedToStart } from './crew.ts';

const [path = '', port] = process.argv.slice(2);
const config = readEnvironment();
const log = openLog(config.LOG_LEVEL);
const watchdog = startWatchdog({ log, logLevel: config.LOG_LEVEL });

// Terminals and systemd signal all processes at once. This one has to answer until the other one tells it to stop.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(1));
process.on('unhandledRejection', (error) => log.error({ error }, 'a promise rejection was not handled'));

const geo = await openGeo({ ...(config.GEOIP_DB !== undefined && { path: config.GEOIP_DB }), log });
const front = await openFront({ config, path, geo, onLost: () => process.exit(1), now: Date.now, log });
process.on('message', (message) => {
  if (message !== 'stop') return;
  watchdog.enter('stopping');
  void front.close().then(() => process.exit(0));
});
front.server.once('error', (error: NodeJS.ErrnoException) => {
  process.send?.({ failed: error.message, code: error.code } satisfies FailedToStart, () => process.exit(1));
});
front.server.listen(Number(port ?? config.PORT), config.HOST, () => {
  watchdog.enter('running');
  void releaseStartMemory();
});
