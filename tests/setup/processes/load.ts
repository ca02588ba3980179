// Page views that are sent to a server as a process, and what of them is stored afterwards.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { openStore } from '../../../server/store/open.ts';
import { CHROME } from '../browser/user-agent.ts';
import { eventually } from '../eventually.ts';

export const DOMAIN = 'own.example';

type Options = {
  /** How many send at once. */
  senders?: number;
  /** All of them together; by default as many as are answered. */
  perSecond?: number;
  /** Different visitors. */
  people?: number;
};

/** Sends page views, and again with the same id what was not answered with 202, as the tracker does. */
export function underLoad(urlOf: () => string, { senders = 20, perSecond = Infinity, people = 1 }: Options = {}) {
  const accepted = new Set<string>();
  const others: Record<string, number> = {};
  /** How long each answer took, in milliseconds. */
  const waits: number[] = [];
  let serial = 0;
  let isOn = true;
  const send = async (page: string, person: number): Promise<void> => {
    const address = `31.${(person >> 16) & 255}.${(person >> 8) & 255}.${person & 255}`;
    const headers = { 'content-type': 'text/plain', 'user-agent': CHROME, 'x-forwarded-for': address };
    const body = JSON.stringify({ site: DOMAIN, name: 'pageview', url: `https://${DOMAIN}${page}`, id: page });
    const startedAt = performance.now();
    const answer = await fetch(`${urlOf()}/foot`, { method: 'POST', headers, body }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    waits.push(performance.now() - startedAt);
    if (answer?.status === 202) {
      accepted.add(page);
      return;
    }
    const outcome = String(answer?.status ?? 'none');
    others[outcome] = (others[outcome] ?? 0) + 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (isOn) await send(page, person);
  };
  const sendOn = async () => {
    for (let dueAt = performance.now(); isOn; dueAt += (1000 * senders) / perSecond) {
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 0) await pause(earlyMs);
      serial += 1;
      await send(`/w/${serial}`, serial % people);
    }
  };
  const start = () => Promise.all(Array.from({ length: senders }, sendOn));
  let running = start();
  const more = async (count: number) => {
    const before = accepted.size;
    await eventually(() => expect(accepted.size).toBeGreaterThan(before + count));
  };
  const stop = async () => {
    isOn = false;
    await running;
  };
  const resume = () => {
    isOn = true;
    running = start();
  };
  return { accepted, others, waits, more, stop, resume };
}

/** Pages that were accepted and are not stored, and those that are stored twice. */
export async function compare(folder: string, accepted: Set<string>) {
  const store = await openStore({ url: undefined, path: join(folder, 'events') });
  const sql = 'SELECT page, count() AS copies FROM events GROUP BY page LIMIT 190000';
  const rows = await store.query<{ page: string; copies: string }>(sql, {});
  await store.close();
  const stored = new Set(rows.map(({ page }) => page));
  return {
    lost: [...accepted].filter((page) => !stored.has(page)),
    doubled: rows.filter(({ copies }) => Number(copies) !== 1),
  };
}
