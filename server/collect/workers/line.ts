// A worker's line to the desk. What is asked in one turn of the event loop goes out together.
import { once } from 'node:events';
import { Unavailable } from '../../errors.ts';
import type { Judged, Outcome } from '../collector.ts';
import { openSpeaking } from '../../process/http/forwarding.ts';
import { type CallName, type Calls, type Message, type Request, SPEAKS_HITS } from './calls.ts';
import { readFrames, writeFrame } from './frames.ts';

type Line = {
  ask<Name extends CallName>(name: Name, input: Calls[Name][0]): Promise<Calls[Name][1]>;
  /** Resolves once the hit's event is durable. Throws Unavailable if it cannot be stored. */
  admit(judged: Judged): Promise<Outcome>;
  close(): void;
};

type Options = {
  /** The Unix socket of the process that owns the stores. */
  path: string;
  onForgetSalts(time: number): void;
  /** Called when the other process has ended. */
  onLost(): void;
};

type Pending = { resolve(output: unknown): void; reject(cause: unknown): void };

export async function openLine({ path, onForgetSalts, onLost }: Options): Promise<Line> {
  const socket = openSpeaking(path, SPEAKS_HITS);
  await once(socket, 'connect');
  const asked = new Map<number, Pending>();
  let lastId = 0;
  let isClosed = false;

  readFrames(socket, (received) => {
    const message = received as Message;
    if ('forgetSalts' in message) {
      onForgetSalts(message.forgetSalts);
      return;
    }
    const call = asked.get(message.id);
    asked.delete(message.id);
    if ('output' in message) call?.resolve(message.output);
    else if ('unavailable' in message.failure) call?.reject(new Unavailable(message.failure.unavailable));
    else call?.reject(new Error(message.failure.failed));
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    for (const { reject } of asked.values()) reject(new Unavailable('queue', new Error('The line is closed.')));
    asked.clear();
    if (!isClosed) onLost();
  });

  const ask: Line['ask'] = (name, input) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) {
        reject(new Unavailable('queue', new Error('The line is closed.')));
        return;
      }
      const id = (lastId += 1);
      asked.set(id, { resolve: resolve as (output: unknown) => void, reject });
      writeFrame(socket, { id, name, input } satisfies Request);
    });

  let waiting: (Pending & { judged: Judged })[] = [];
  const admitWaiting = () => {
    const sent = waiting;
    waiting = [];
    ask(
      'admit',
      sent.map(({ judged }) => judged),
    ).then(
      (outcomes) => sent.forEach(({ resolve }, index) => resolve(outcomes[index])),
      (error: unknown) => sent.forEach(({ reject }) => reject(error)),
    );
  };

  return {
    ask,
    admit: (judged) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(admitWaiting);
        waiting.push({ judged, resolve: resolve as (output: unknown) => void, reject });
      }),
    close() {
      isClosed = true;
      socket.destroy();
    },
  };
}
