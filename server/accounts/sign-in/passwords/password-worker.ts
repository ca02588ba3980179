// A thread that hashes passwords one at a time with scrypt. better-auth itself would use libuv's thread pool, where disk access and the event
// store would have to wait. A hash is the cost, the salt and the key. Those that were made before have no cost, and that of better-auth.
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** With a cost (scrypt's N) the password is hashed, with a hash it is compared. */
export type Request = { password: string } & ({ cost: number } | { hash: string });
export type Answer = { hash: string } | { isRight: boolean } | { error: string };

const FIRST_COST = 16_384;
const BLOCKS = 16;
const KEY_BYTES = 64;

function keyOf(password: string, salt: string, cost: number): Buffer {
  const of = { N: cost, r: BLOCKS, p: 1, maxmem: 2 * 128 * cost * BLOCKS };
  return scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, of);
}

function answer(request: Request): Answer {
  const { password } = request;
  if ('cost' in request) {
    const salt = randomBytes(16).toString('hex');
    return { hash: `${request.cost}:${salt}:${keyOf(password, salt, request.cost).toString('hex')}` };
  }
  const [key = '', salt = '', cost = FIRST_COST] = request.hash.split(':').toReversed();
  const stored = Buffer.from(key, 'hex');
  return { isRight: stored.length === KEY_BYTES && timingSafeEqual(stored, keyOf(password, salt, Number(cost))) };
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
