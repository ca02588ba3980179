// Hits that another product recorded, as hits of their own time. They go through the steps of a site's page views, except for those that need an
// address or a user agent: the other product has dropped its bots, and says where visitors were and what they used.
import type { Event } from '../../vocabulary/event.ts';
import type { DropReason } from '../../vocabulary/drops.ts';
import type { ImportedHit } from '../../vocabulary/imports/import.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import type { Site } from '../../sites/sites.ts';
import type { Context } from '../draft.ts';
import { PLAIN_VIEW } from '../hit.ts';
import { runSteps } from '../steps.ts';
import { importSalts } from './import-log.ts';

/** `key`: what is the same for a hit whenever its part is sent, so that its event has the same id. */
type Keyed = { key: string; hit: ImportedHit };
export type Dropped = { reason: DropReason; time: number };
type Outcome = { events: Event[]; dropped: Dropped[] };

/** Runs the hits in order of time. `secret`: of the import, and destroyed with its end. */
export async function hitsToEvents(
  hits: readonly Keyed[],
  { site, secret }: { site: Site; secret: Buffer },
): Promise<Outcome> {
  const context: Context = { ...NO_LOOKUPS, saltOf: importSalts(secret) };
  const outcome: Outcome = { events: [], dropped: [] };
  for (const { key, hit } of hits.toSorted((one, other) => one.hit.time - other.hit.time)) {
    const { time, name, referrer } = hit;
    const page = parsePage(`https://${hit.hostname || site.domain}${hit.path || '/'}`);
    if (!page) {
      outcome.dropped.push({ reason: 'not_a_page', time });
      continue;
    }
    // A visitor that is not known is a visitor of one hit.
    const address = hit.visitor || key;
    const own = {
      ...PLAIN_VIEW,
      door: 'import' as const,
      id: key,
      page,
      target: hit.path,
      time,
      name,
      referrer,
      address,
    };
    const done = await runSteps({ ...own, imported: hit }, site, context);
    if ('dropped' in done) outcome.dropped.push({ reason: done.dropped, time });
    else if (done.recorded.kind === 'event') outcome.events.push(done.recorded);
  }
  return outcome;
}

/** No step of an import asks for these. */
const NO_LOOKUPS: Omit<Context, 'saltOf'> = {
  geo: { source: '', locate: () => ({ country: '', region: '', city: '' }) },
  windows: { isRepeat: () => Promise.resolve(false) },
};
