// A process with the guests of bench/guests.ts: viewers of one share link, each from an address of its own, who follow the same questions.
import { setTimeout } from 'node:timers/promises';
import { openDashboard } from './dashboards.ts';

type Opening = { open: number; url: string; siteId: string; token: string; questions: unknown[] };
export type Order = Opening | 'count' | 'close';
/** Since the last order. `changes`: of answers, as the first guest was told. */
export type Report = { guests: number; refused: number; bytes: number; messages: number; changes: number };

/** Handshakes at the same time. */
const AT_ONCE = 20;
const PATIENCE_MS = 2000;

let sockets: WebSocket[] = [];
let serial = 0;
const fresh = (): Omit<Report, 'guests'> => ({ refused: 0, bytes: 0, messages: 0, changes: 0 });
let seen = fresh();

/** A public address. */
const addressOf = (number: number) => `${11 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.7`;

async function join({ url, siteId, token, questions }: Opening, { isFirst }: { isFirst: boolean }): Promise<void> {
  const socket = await openDashboard({ url, siteId, token, address: addressOf((serial += 1)) }, (text) => {
    seen.bytes += text.length;
    seen.messages += 1;
    if (isFirst && /^42\["(answer|moved)"/.test(text)) seen.changes += 1;
  });
  sockets.push(socket);
  socket.send(`421${JSON.stringify(['follow', questions])}`);
}

/** A server that refuses a guest closes the connection without a word of its own. */
async function openAll(order: Opening): Promise<void> {
  let begun = 0;
  const openSome = async () => {
    while (begun < order.open) {
      const isFirst = begun === 0;
      begun += 1;
      const late = setTimeout(PATIENCE_MS, 'late');
      const end = await Promise.race([join(order, { isFirst }).catch(() => 'refused'), late]);
      if (end !== undefined) seen.refused += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
}

process.on('message', (order: Order) => {
  void (async () => {
    if (order === 'close') {
      for (const socket of sockets) socket.close();
      sockets = [];
    } else if (order !== 'count') await openAll(order);
    const report: Report = { guests: sockets.length, ...seen };
    seen = fresh();
    process.send?.(report);
  })();
});
