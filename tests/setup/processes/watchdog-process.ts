// A process with the watchdog that stops responding: `node watchdog-process.ts KIND`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openLog } from '../../../server/process/log.ts';
import { PATIENCE, startWatchdog } from '../../../server/process/watchdog.ts';

const [kind = ''] = process.argv.slice(2);
const patience = { ...PATIENCE, tickMs: 50, runningMs: 2_000, stoppingMs: 1_000 };
const watchdog = startWatchdog({ log: openLog('info'), logLevel: 'info', patience });

const TROUBLE: Record<string, () => unknown> = {
  'turns and turns': () => undefined,
  'does not turn': () => {
    for (;;);
  },
  'has no memory left': () => {
    const kept: number[][] = [];
    for (;;) kept.push(new Array<number>(4_000_000).fill(0.5));
  },
  'does not finish its stop': () => process.on('SIGTERM', () => watchdog.enter('stopping')),
};

const server = createServer((_request, response) => response.end('turns'));
server.listen(0, '127.0.0.1', () => {
  watchdog.enter('running');
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`, () => void setImmediate(() => TROUBLE[kind]?.()));
});
