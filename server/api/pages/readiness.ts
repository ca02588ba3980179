// Tells whether this process can work: which of its stores answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Unavailable } from '../../errors.ts';
import { sendJson } from '../../process/http/respond.ts';

/** `partly`: some sites can be served, and others not. */
export type Pinged = Record<Unavailable['store'], { ping(): Promise<'partly' | undefined> | Promise<void> }>;

/**
 * Answers with each store's state: 503 if one of them is unreachable, else 200. A process that can serve some sites gets requests: all
 * processes see the same part of a cluster fail, and without any of them the other sites would not be served either.
 */
export function openReadiness(stores: Pinged) {
  return async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const entries = await Promise.all(
      Object.entries(stores).map(async ([name, store]) => {
        const state = await store.ping().then(
          (part) => (part === 'partly' ? 'partly unreachable' : 'ok'),
          () => 'unreachable' as const,
        );
        return [name, state] as const;
      }),
    );
    const states = entries.map(([, state]) => state);
    const worst = (['unreachable', 'partly unreachable'] as const).find((state) => states.includes(state)) ?? 'ok';
    sendJson(response, worst === 'unreachable' ? 503 : 200, {
      status: worst,
      stores: Object.fromEntries(entries),
    });
  };
}
