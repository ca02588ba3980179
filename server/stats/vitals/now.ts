// How fast pages feel at present, for the wall: a site is asked about once a minute at most, however many look at it.
import type { EventStore } from '../../store/open.ts';
import { MAIN_VITALS, type MainVital } from '../../vocabulary/numbers/vitals.ts';
import { percentile } from './sql.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import { roundedOf } from './vitals.ts';

const SPAN_MS = 30 * MINUTE_MS;

type Felt = { p75: number | null; views: number; visitors: number };
export type SpeedNow = Record<MainVital, Felt>;
export type AskSpeedNow = (siteId: string, now: number) => Promise<SpeedNow>;

/** The last thirty minutes of a site. */
export function openSpeedNow(store: Pick<EventStore, 'query'>): AskSpeedNow {
  const known = new Map<string, { at: number; answer: Promise<SpeedNow> }>();
  const isFresh = (at: number, now: number) => now >= at && now < at + MINUTE_MS;
  return (siteId, now) => {
    for (const [id, { at }] of known) if (!isFresh(at, now)) known.delete(id);
    const last = known.get(siteId);
    if (last) return last.answer;
    const asked = { at: now, answer: askSpeedNow(store, siteId, now) };
    known.set(siteId, asked);
    asked.answer.catch(() => {
      if (known.get(siteId) === asked) known.delete(siteId); // the next viewer asks again
    });
    return asked.answer;
  };
}

const COLUMNS = MAIN_VITALS.flatMap((vital) => [
  `${percentile(vital)} AS ${vital}_p75`,
  `count(${vital}) AS ${vital}_views`,
  `uniqExactIf(visitor_id, ${vital} IS NOT NULL) AS ${vital}_visitors`,
]).join(', ');

async function askSpeedNow({ query }: Pick<EventStore, 'query'>, siteId: string, now: number): Promise<SpeedNow> {
  const [row = {}] = await query<Record<string, unknown>>(
    `SELECT ${COLUMNS} FROM vitals WHERE site_id = {site_id:String}
      AND time > fromUnixTimestamp64Milli({from:Int64}) AND time <= fromUnixTimestamp64Milli({to:Int64})`,
    { site_id: siteId, from: now - SPAN_MS, to: now },
  );
  const felt = MAIN_VITALS.map((vital): [MainVital, Felt] => {
    const [views, visitors] = [Number(row[`${vital}_views`] ?? 0), Number(row[`${vital}_visitors`] ?? 0)];
    return [vital, { p75: views === 0 ? null : roundedOf(vital, row[`${vital}_p75`]), views, visitors }];
  });
  return Object.fromEntries(felt) as SpeedNow;
}
