// A thread that hashes passwords one at a time, in better-auth's format (scrypt, 32 MB each). better-auth itself would use libuv's thread
// pool, where disk access and the event store would have to wait.
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

export type Request = { password: string; hash?: string };
export type Answer = { hash: string } | { isRight: boolean } | { error: string };

const COST = { N: 16_384, r: 16, p: 1, maxmem: 2 * 128 * 16_384 * 16 };
const KEY_BYTES = 64;

function keyOf(password: string, salt: string): Buffer {
  return scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, COST);
}

function answer({ password, hash }: Request): Answer {
  if (hash === undefined) {
    const salt = randomBytes(16).toString('hex');
    return { hash: `${salt}:${keyOf(password, salt).toString('hex')}` };
  }
  const [salt = '', key = ''] = hash.split(':');
  const stored = Buffer.from(key, 'hex');
  return { isRight: stored.length === KEY_BYTES && timingSafeEqual(stored, keyOf(password, salt)) };
}

const port = parentPort;
if (!port) throw new Error('password-worker.ts runs as a worker thread.');
port.on('message', (request: Request) => {
  let reply: Answer;
  try {
    reply = answer(request);
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(reply);
});
