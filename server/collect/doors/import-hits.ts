// Hits that another product or a web server recorded, as hits of their own time. Those of a product go through the steps of a site's page views, except
// for those that need an address or a user agent: it has dropped its bots, and says where visitors were and what they used. Those of an access log
// go through the steps of access logs.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AiVisit, ENGAGEMENT, type Event } from '../../vocabulary/event.ts';
import type { DropReason } from '../../vocabulary/drops.ts';
import type { ImportedHit } from '../../vocabulary/imports/import.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import type { Site } from '../../sites/sites.ts';
import type { Context } from '../draft.ts';
import { type Hit, PLAIN_VIEW } from '../hit.ts';
import { remember } from '../cache.ts';
import { runSteps } from '../steps.ts';
import { importSalts } from './import-log.ts';

/** `key`: what is the same for a hit whenever its part is sent, so that its event has the same id. */
type Keyed = { key: string; hit: ImportedHit };
/** `not_over`: of a day that the site has not ended yet. `status`: an error or a redirect, by the answer in an access log. */
export type Dropped = { reason: DropReason | 'not_over' | 'status'; time: number };
type Turn = { events: Event[]; aiVisits: AiVisit[]; dropped: Dropped[] };
/** `secret`: of the import, and destroyed with its end. `windows`: of the import alone. */
type Reading = Pick<Context, 'geo' | 'windows'> & { site: Site; secret: Buffer; now: number };

const PAGES_BYTES = 2_000_000;
/** Other requests are answered between so many hits. */
const HITS_A_TURN = 250;

/** Runs the hits in order of time, and gives what became of those of a turn: the objects of a whole part would live so long that they fill the heap. */
export async function* hitsToEvents(
  hits: readonly Keyed[],
  { site, secret, now, geo, windows }: Reading,
): AsyncGenerator<Turn> {
  const context: Context = { geo, windows, saltOf: importSalts(secret) };
  const zone = site.timezone ?? UTC;
  const today = dayIn(zone, now);
  // A day that is not over has events of its own, or will have.
  const runHit = (hit: Hit | undefined, isOver: boolean) => {
    if (!isOver) return { dropped: 'not_over' as const };
    return hit ? runSteps(hit, site, context) : { dropped: 'not_a_page' as const };
  };
  const sorted = hits.toSorted((one, other) => one.hit.time - other.hit.time);
  for (let start = 0; start < sorted.length; start += HITS_A_TURN) {
    await nextTurn();
    const turn: Turn = { events: [], aiVisits: [], dropped: [] };
    for (const keyed of sorted.slice(start, start + HITS_A_TURN)) {
      const { time } = keyed.hit;
      const running = runHit(readHit(keyed, site), dayIn(zone, time) < today);
      const done = running instanceof Promise ? await running : running;
      if ('dropped' in done) turn.dropped.push({ reason: done.dropped === 'not_ai' ? 'status' : done.dropped, time });
      else if (done.recorded.kind === 'event') turn.events.push(done.recorded);
      else if (done.recorded.kind === 'ai_visit') turn.aiVisits.push(done.recorded);
    }
    yield turn;
  }
}

/** All turns in one. */
export async function joined(turns: AsyncIterable<Turn>): Promise<Turn> {
  const all: Turn = { events: [], aiVisits: [], dropped: [] };
  for await (const { events, aiVisits, dropped } of turns) {
    all.events.push(...events);
    all.aiVisits.push(...aiVisits);
    all.dropped.push(...dropped);
  }
  return all;
}

/** Exports repeat their pages. */
const pageOf = remember((url) => parsePage(url), PAGES_BYTES);

function readHit({ key, hit: imported }: Keyed, site: Site): Hit | undefined {
  const { hostname, path, time, name, referrer, visitor, request } = imported;
  if (name === ENGAGEMENT) return undefined; // what the script sends, and no event
  const page = pageOf(`https://${hostname || site.domain}${path || '/'}`);
  if (!page) return undefined;
  const hit = { ...PLAIN_VIEW, id: key, page, target: path, time, referrer };
  if (request) {
    const { address, user_agent: userAgent, status } = request;
    return { ...hit, door: 'log', address, userAgent, status };
  }
  const address = visitor || key; // a visitor that is not known is a visitor of one hit
  return { ...hit, door: 'import', name, address, imported };
}
