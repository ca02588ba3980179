// Real Redis for a test: `await using redis = await startRedis()`. Each is its own process (30 ms), so that a test may kill, stop and flush
// it.
import { connect } from 'node:net';
import { findProgram } from '../run/apt-packages.mjs';
import { freePort, startProgram, type Running } from '../processes/process.ts';
import { tempFolder } from '../folder.ts';

export type TestRedis = Running & AsyncDisposable & { url: string; port: number; folder: string };

/** `config` holds further settings of redis.conf, as `{ 'maxmemory-policy': 'allkeys-lru' }`. */
export async function startRedis(options: { config?: Record<string, string> } = {}): Promise<TestRedis> {
  const path = findProgram('redis-server');
  if (!path) throw new Error('The tests need redis-server.');
  const folder = await tempFolder();
  const port = await freePort();
  // appendonly: acknowledged writes then survive a SIGKILL, as in an installation that holds events.
  const config = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder.path,
    save: '',
    appendonly: 'yes',
    ...options.config,
  };
  const args = Object.entries(config).flatMap(([name, value]) => [`--${name}`, value]);
  const running = await startProgram({ path, args, isReady: () => answersPing(port) });
  return {
    ...running,
    url: `redis://127.0.0.1:${port}`,
    port,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await running.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** False while it refuses, or is still loading its file. */
function answersPing(port: number): Promise<boolean> {
  return askRedis(port, 'PING').then(
    (said) => said === 'PONG',
    () => false,
  );
}

/** Sends a command, and returns the text of a short answer. Rejects with an error that the server answers. */
export function askRedis(port: number, ...command: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    const socket = connect(port, '127.0.0.1', () => socket.write(`*${command.length}\r\n${words.join('')}`));
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      const said = data.toString();
      if (said.startsWith('-')) reject(new Error(said));
      else resolve(said.replace(/^\$\d+\r\n|^\+/, '').trim());
      socket.destroy();
    });
  });
}
