// Hashes passwords on two worker threads. A hash takes 60 ms of a core and 32 MB. The threads start with the first password, and do not
// keep the process alive.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answer, Request } from './password-worker.ts';

export const HASHED_AT_ONCE = 2;
/** `cost` is scrypt's N. Each hash names the one that it was made with, so it can be raised. Tests hash thousands of passwords, and lower it. */
export const hashing = { cost: 16_384 };

export async function hashPassword(password: string): Promise<string> {
  const answer = await ask({ password, cost: hashing.cost });
  if (!('hash' in answer)) throw new Error('the password was not hashed', { cause: answer });
  return answer.hash;
}

export async function verifyPassword(input: { hash: string; password: string }): Promise<boolean> {
  const answer = await ask(input);
  if (!('isRight' in answer)) throw new Error('the password was not compared', { cause: answer });
  return answer.isRight;
}

const idle: Worker[] = [];
let running = 0;
const waiting: (() => void)[] = [];

async function ask(request: Request): Promise<Answer> {
  if (running >= HASHED_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  const worker = idle.pop() ?? startWorker();
  try {
    worker.ref();
    worker.postMessage(request);
    const [answer] = (await once(worker, 'message')) as [Answer]; // rejects if the thread fails
    worker.unref();
    idle.push(worker);
    return answer;
  } finally {
    const next = waiting.shift(); // takes over this request's place
    if (next) next();
    else running -= 1;
  }
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./password-worker.ts', import.meta.url));
  worker.on('error', () => undefined); // `once` above reports it to the caller
  worker.once('exit', () => {
    const place = idle.indexOf(worker);
    if (place !== -1) idle.splice(place, 1);
  });
  return worker;
}
