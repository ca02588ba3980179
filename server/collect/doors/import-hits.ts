// Hits that another product recorded, as hits of their own time. They go through the steps of a site's page views, except for those that need an
// address or a user agent: the other product has dropped its bots, and says where visitors were and what they used.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ENGAGEMENT, type Event } from '../../vocabulary/event.ts';
import type { DropReason } from '../../vocabulary/drops.ts';
import type { ImportedHit } from '../../vocabulary/imports/import.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import type { Site } from '../../sites/sites.ts';
import type { Context } from '../draft.ts';
import { type Hit, PLAIN_VIEW } from '../hit.ts';
import { runSteps } from '../steps.ts';
import { importSalts } from './import-log.ts';

/** `key`: what is the same for a hit whenever its part is sent, so that its event has the same id. */
type Keyed = { key: string; hit: ImportedHit };
/** `not_over`: of a day that the site has not ended yet. */
export type Dropped = { reason: DropReason | 'not_over'; time: number };
type Outcome = { events: Event[]; dropped: Dropped[] };

/** Other requests are answered between so many hits. */
const HITS_A_TURN = 250;

/** Runs the hits in order of time. `secret`: of the import, and destroyed with its end. */
export async function hitsToEvents(
  hits: readonly Keyed[],
  { site, secret, now }: { site: Site; secret: Buffer; now: number },
): Promise<Outcome> {
  const context: Context = { ...NO_LOOKUPS, saltOf: importSalts(secret) };
  const zone = site.timezone ?? UTC;
  const today = dayIn(zone, now);
  // A day that is not over has events of its own, or will have.
  const runHit = (hit: Hit | undefined, isOver: boolean) => {
    if (!isOver) return { dropped: 'not_over' as const };
    return hit ? runSteps(hit, site, context) : { dropped: 'not_a_page' as const };
  };
  const outcome: Outcome = { events: [], dropped: [] };
  for (const [index, keyed] of hits.toSorted((one, other) => one.hit.time - other.hit.time).entries()) {
    if (index % HITS_A_TURN === 0) await nextTurn();
    const { time } = keyed.hit;
    const hit = readHit(keyed, site);
    const done = await runHit(hit, dayIn(zone, time) < today);
    if ('dropped' in done) outcome.dropped.push({ reason: done.dropped, time });
    else if (done.recorded.kind === 'event') outcome.events.push(done.recorded);
  }
  return outcome;
}

function readHit({ key, hit: imported }: Keyed, site: Site): Hit | undefined {
  const { hostname, path, time, name, referrer, visitor } = imported;
  if (name === ENGAGEMENT) return undefined; // what the script sends, and no event
  const page = parsePage(`https://${hostname || site.domain}${path || '/'}`);
  if (!page) return undefined;
  const address = visitor || key; // a visitor that is not known is a visitor of one hit
  return { ...PLAIN_VIEW, door: 'import', id: key, page, target: path, time, name, referrer, address, imported };
}

/** No step of an import asks for these. */
const NO_LOOKUPS: Omit<Context, 'saltOf'> = {
  geo: { source: '', locate: () => ({ country: '', region: '', city: '' }) },
  windows: { isRepeat: () => Promise.resolve(false) },
};
