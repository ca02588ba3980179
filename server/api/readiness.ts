// Tells whether this process can work: which of its stores answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Unavailable } from '../errors.ts';
import { sendJson } from '../http/respond.ts';

export type Pinged = Record<Unavailable['store'], { ping(): Promise<void> }>;

/** Answers 200 with each store's state, or 503 if one of them is unreachable. */
export function openReadiness(stores: Pinged) {
  return async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const entries = await Promise.all(
      Object.entries(stores).map(async ([name, store]) => {
        const answers = await store.ping().then(
          () => true,
          () => false,
        );
        return [name, answers ? 'ok' : 'unreachable'] as const;
      }),
    );
    const ready = entries.every(([, state]) => state === 'ok');
    sendJson(response, ready ? 200 : 503, {
      status: ready ? 'ok' : 'unreachable',
      stores: Object.fromEntries(entries),
    });
  };
}
