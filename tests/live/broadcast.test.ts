// How messages are written to many dashboards: in turns of the event loop, and in their order.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_WAITING_BYTES, type Message, send } from '../../server/live/broadcast.ts';
import { openRandom } from '../../server/jobs/demo/random.ts';
import type { Dashboard } from '../../server/live/connection.ts';

const messageOf = (number: number): Message => ['moved', 'topic', number, {}];

/** Dashboards that note what is written to them. */
function audience(size: number) {
  const written: string[] = [];
  const dashboards = Array.from({ length: size }, (_, index) => ({
    conn: {
      write: (_data: string, { wsPreEncodedFrame: [frames] }: { wsPreEncodedFrame: Buffer[] }) =>
        written.push(`${index} ${[...String(frames).matchAll(/"topic",(\d+)/g)].map(([, number]) => number).join()}`),
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

test('messages keep their order, and those to a dashboard that is still waiting go out with one write', async () => {
  const { dashboards, written } = audience(250);
  const last = dashboards[249];
  send(dashboards, [messageOf(1)]);
  send(dashboards, [messageOf(2)]);
  send(last ? [last] : [], [messageOf(3)]);
  expect(written).toHaveLength(5);
  while (written.length < 255) await nextTurn();
  const early = [0, 1, 2, 3, 4];
  const others = Array.from({ length: 244 }, (_, index) => `${index + 5} 1,2`);
  expect(written).toEqual([
    ...early.map((one) => `${one} 1`),
    ...others,
    '249 1,2,3',
    ...early.map((one) => `${one} 2`),
  ]);
});

test('what waits for a dashboard is limited: more is written at once', async () => {
  const { dashboards, written } = audience(20);
  const large: Message = ['answer', 'topic', 1, 'x'.repeat(MAX_WAITING_BYTES / 2)];
  send(dashboards, [large]);
  send(dashboards, [large]);
  expect(written).toHaveLength(5 + 15);
  while (written.length < 25) await nextTurn();
  expect(new Set(written.slice(5, 20))).toEqual(new Set(Array.from({ length: 15 }, (_, index) => `${index + 5} 1,1`)));
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
  while (written.length < 255 || other.written.length < 2) await nextTurn();
  expect(new Set(written).size).toBe(255);
  expect(other.written).toEqual(['0 1', '0 251']);
});

test('nothing is lost or out of order, whoever else is sent what meanwhile', async () => {
  const random = openRandom(5);
  const { dashboards, written } = audience(60);
  const sent = dashboards.map((): number[] => []);
  for (let number = 1; number <= 300; number += 1) {
    const some = dashboards.flatMap((one, index) => (random.fraction() < 0.4 ? [{ one, index }] : []));
    send(
      some.map(({ one }) => one),
      [messageOf(number)],
    );
    for (const { index } of some) sent[index]?.push(number);
    if (random.fraction() < 0.5) await nextTurn();
  }
  const heard = dashboards.map((): number[] => []);
  while (written.length > 0 || heard.flat().length < sent.flat().length) {
    for (const text of written.splice(0)) {
      const [index = '', numbers = ''] = text.split(' ');
      heard[Number(index)]?.push(...numbers.split(',').map(Number));
    }
    await nextTurn();
  }
  expect(heard).toEqual(sent);
});
