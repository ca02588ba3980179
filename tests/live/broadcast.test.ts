// How messages are written to many dashboards: in turns of the event loop, and in their order.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_WAITING, type Message, send } from '../../server/live/broadcast.ts';
import type { Dashboard } from '../../server/live/connection.ts';

const messageOf = (number: number): Message => ['moved', 'topic', number, {}];

/** Dashboards that note what is written to them. */
function audience(size: number) {
  const written: string[] = [];
  const dashboards = Array.from({ length: size }, (_, index) => ({
    conn: {
      write: (_data: string, { wsPreEncodedFrame: [frames] }: { wsPreEncodedFrame: Buffer[] }) =>
        written.push(`${index} ${/"topic",(\d+)/.exec(String(frames))?.[1]}`),
    },
  })) as unknown as Dashboard<string>[];
  return { dashboards, written };
}

test('a few dashboards are written to at once, and many in turns, so that requests are answered in between', async () => {
  const few = audience(5);
  send(few.dashboards, [messageOf(1)]);
  expect(few.written).toHaveLength(5);

  const many = audience(23);
  send(many.dashboards, [messageOf(1)]);
  const seen = [many.written.length];
  while (many.written.length < 23) {
    await nextTurn();
    seen.push(many.written.length);
  }
  expect(seen).toEqual([5, 10, 15, 20, 23]);
});

test('messages keep their order, also those to one dashboard that comes later', async () => {
  const { dashboards, written } = audience(250);
  const [, , last] = [dashboards[0], dashboards[1], dashboards[249]];
  send(dashboards, [messageOf(1)]);
  send(dashboards, [messageOf(2)]);
  send(last ? [last] : [], [messageOf(3)]);
  expect(written).toHaveLength(5);
  while (written.length < 501) await nextTurn();
  expect(written.filter((text) => text.startsWith('249 '))).toEqual(['249 1', '249 2', '249 3']);
  expect(new Set(written).size).toBe(501);
});

test('what waits is limited: what is more is written at once', async () => {
  const { dashboards, written } = audience(MAX_WAITING / 10);
  for (let number = 1; number <= 10; number += 1) send(dashboards, [messageOf(number)]);
  expect(written).toHaveLength(5);
  send(dashboards, [messageOf(11)]);
  expect(written).toHaveLength(dashboards.length);
  while (written.length < 11 * dashboards.length) await nextTurn();
});

test('what is sent because of a write, as when a connection ends, goes after what is sent already', async () => {
  const { dashboards, written } = audience(250);
  const other = audience(1);
  const [first] = dashboards as unknown as { conn: { write(...given: unknown[]): void } }[];
  const { write } = first?.conn ?? {};
  Object.assign(first?.conn ?? {}, {
    write(...given: unknown[]) {
      write?.(...given);
      send(other.dashboards, [messageOf(written.length)]);
    },
  });
  send(dashboards, [messageOf(1)]);
  send(dashboards, [messageOf(2)]);
  while (written.length < 500 || other.written.length < 2) await nextTurn();
  expect(new Set(written).size).toBe(500);
  expect(other.written).toEqual(['0 1', '0 251']);
});
