// What went wrong on the pages of the demo, drawn from each page view: some errors that were always there, and two that came with a release, until
// the next one.
import { readError, type SentError } from '../../collect/errors/read.ts';
import { errorOfView, type Event, type EventId, type PageError, PAGEVIEW } from '../../vocabulary/event.ts';
import { dayOfStory, type SeedOptions } from './events.ts';
import { openRandom } from './random.ts';

type Fault = {
  chance: number;
  error: Omit<SentError, 'count'>;
  /** '' for all pages. */
  page: string;
  /** '' for all browsers. */
  browser: string;
  isOfRelease: boolean;
};

const fault = (
  chance: number,
  error: Omit<SentError, 'count'>,
  about: Partial<Omit<Fault, 'chance' | 'error'>> = {},
): Fault => ({
  chance,
  error,
  page: '',
  browser: '',
  isOfRelease: false,
  ...about,
});
const FILM = 'https://demo.example/assets/film-4f9c2d1e.js';
const APP = 'https://demo.example/assets/app-81b3e0aa.js';

const FAULTS: readonly Fault[] = [
  fault(0.004, { kind: 'rejection', message: 'TypeError: Failed to fetch', file: APP, line: 41 }),
  fault(
    0.003,
    { kind: 'error', message: 'ReferenceError: requestIdleCallback is not defined', file: APP, line: 7 },
    { browser: 'Safari' },
  ),
  fault(
    0.02,
    { kind: 'load', message: 'img', file: 'https://demo.example/images/team-2023.jpg', line: 0 },
    { page: '/about' },
  ),
  fault(
    0.01,
    { kind: 'error', message: `TypeError: Cannot read properties of null (reading 'focus')`, file: APP, line: 212 },
    { page: '/docs/api' },
  ),
  fault(
    0.35,
    { kind: 'error', message: `TypeError: undefined is not an object (evaluating 'film.play')`, file: FILM, line: 96 },
    { page: '/', browser: 'Safari', isOfRelease: true },
  ),
  fault(0.08, { kind: 'load', message: 'script', file: FILM, line: 0 }, { page: '/pricing', isOfRelease: true }),
];

/** The errors that the browser of a page view has told of. */
export function errorsOf(event: Event, options: Pick<SeedOptions, 'days' | 'now' | 'seed'>): PageError[] {
  if (event.name !== PAGEVIEW || event.visitor_id === '') return [];
  const { event_id, time, page, browser } = event;
  const random = openRandom(parseInt(event_id.slice(8), 16), parseInt(event_id.slice(0, 8), 16), options.seed);
  const isBroken = time >= dayOfStory(options, 'slowRelease') && time < dayOfStory(options, 'fixedRelease');
  return FAULTS.flatMap((one) => {
    const isHere =
      (one.page === '' || one.page === page) &&
      (one.browser === '' || one.browser === browser) &&
      (isBroken || !one.isOfRelease);
    if (!isHere || !random.chance(one.chance)) return [];
    const sent = { ...one.error, count: 1 + Math.floor(random.wait(0.6)) };
    const read = readError(sent, { hostname: 'demo.example', page, query: new URLSearchParams() }, () => false);
    if (!read) return [];
    return { ...errorOfView(event), ...read, event_id: random.id() as EventId, time: time + random.between(300, 4000) };
  });
}
