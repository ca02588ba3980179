// How fast the pages of the demo felt, drawn from each page view: phones and distant countries wait longer, and one release made two pages slow on
// phones until the next one.
import { type Event, type EventId, PAGEVIEW, type Vitals, vitalsOfView } from '../../vocabulary/event.ts';
import { dayOfStory, type SeedOptions } from './events.ts';
import { openRandom, type Random, weighted } from './random.ts';

/** Visitors who leave at once are not measured. */
const MEASURED = 0.82;
const INTERACTED = 0.6;
const LONGEST_STAY_MS = 40_000;
const SLOW_PAGES = ['/pricing', '/'];
const NEAR = new Set(['DE', 'FR', 'GB', 'NL', 'AT', 'CH', 'BE', 'DK', 'PL']);
const FAR = new Set(['IN', 'BR', 'AU', 'ID', 'NG', 'NZ', 'AR', 'ZA']);

const drawLargest = weighted([
  [55, 'img'],
  [25, 'h1'],
  [15, 'p'],
  [5, 'video'],
]);
const drawTouched = weighted([
  [50, 'button'],
  [25, 'a'],
  [15, 'input'],
  [10, 'div[menuitem]'],
]);
const drawNavigation = weighted([
  [78, 'navigate'],
  [10, 'back-forward'],
  [7, 'back-forward-cache'],
  [5, 'reload'],
]);

function distanceOf(country: string): number {
  if (NEAR.has(country)) return 1;
  return FAR.has(country) ? 2.2 : 1.4;
}
const connectionOver = (distance: number): string => (distance > 2 ? '3g' : '4g');

/** A factor around 1, with the long tail that waiting times have. */
const spread = (random: Random): number => Math.exp(random.fraction() + random.fraction() + random.fraction() - 1.5);

/** What the browser of a page view has measured; undefined for other entries, and for views that were not measured. */
export function vitalsOf(event: Event, options: Pick<SeedOptions, 'days' | 'now' | 'seed'>): Vitals | undefined {
  if (event.name !== PAGEVIEW || event.visitor_id === '') return undefined;
  const { event_id, time, device, country, page, browser } = event;
  const random = openRandom(parseInt(event_id.slice(0, 8), 16), parseInt(event_id.slice(8), 16), options.seed);
  if (!random.chance(MEASURED)) return undefined;
  const isPhone = device === 'mobile';
  const isSlow =
    isPhone &&
    SLOW_PAGES.includes(page) &&
    time >= dayOfStory(options, 'slowRelease') &&
    time < dayOfStory(options, 'fixedRelease');
  const distance = distanceOf(country);
  const strength = isPhone ? 1.5 : 1;
  const ttfb = Math.round(150 * distance * spread(random));
  const fcp = Math.round(ttfb + 420 * strength * spread(random));
  const lcp = Math.round(fcp + (isSlow ? 2600 : 480) * strength * spread(random));
  const shifts = isSlow ? random.fraction() * 0.4 : Math.max(0, random.fraction() - 0.6) * 0.3;
  return {
    ...vitalsOfView(event),
    event_id: random.id() as EventId,
    time: time + random.between(4000, LONGEST_STAY_MS),
    ttfb,
    fcp,
    lcp,
    inp: random.chance(INTERACTED) ? Math.round(70 * strength * spread(random)) : null,
    cls: browser === 'Safari' ? null : Math.round(shifts * 10_000) / 10_000,
    lcp_element: isSlow ? 'video' : drawLargest(random),
    inp_element: drawTouched(random),
    navigation: drawNavigation(random),
    connection: browser === 'Chrome' ? connectionOver(distance) : '',
  };
}
