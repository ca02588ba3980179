// The data points of Simple Analytics as CSV: page views and events one by one, with the columns that were chosen for the export
// (https://docs.simpleanalytics.com/api/export-data-points). It has no ids of visitors, but counts them: as many as there are rows with `is_unique`.
// Such a row begins a visitor. A row that is not unique belongs to the session that it names, or else to the latest visitor before it with the same
// place, client, language and screen, or else to one who came before the file began: the first row of theirs in it stands for them. Without the
// column, a session is a visitor, and without sessions each hit is one by itself. The time on a page and the scroll depth that it exports have no
// place in imported hits: Footfall's own are events of their own.
import { PAGEVIEW } from '../../event.ts';
import type { ImportedHit } from '../import.ts';
import { hostnameOf, keptQuery, pathOf, referrerOf } from '../values/addresses.ts';
import { instantOf, readInstant } from '../values/dates.ts';
import { hashOf, newSeed } from '../values/hash.ts';
import { countryOf } from '../values/places.ts';
import { isYes, machineOf } from '../values/names.ts';
import { eventName } from './events.ts';
import {
  BLANK_HIT,
  becomesBy,
  hasColumns,
  indexesOf,
  type CsvFormat,
  type Format,
  taggedQuery,
  TAGS_IN_PATH,
} from './format.ts';
import { widthProblem } from './sums.ts';

const MEANINGS = {
  added_iso: 'time',
  added_unix: 'time',
  hostname: 'hostname',
  path: 'path',
  query: 'path',
  is_robot: 'bot',
  datapoint: 'name',
  session_id: 'visitor',
  is_unique: 'visitor',
  document_referrer: 'referrer',
  ...TAGS_IN_PATH,
  country_code: 'country',
  browser_name: 'browser',
  browser_version: 'browser_version',
  os_name: 'os',
  os_version: 'os_version',
  device_type: 'device',
  lang_language: 'language',
  lang_region: 'language',
  screen_width: 'screen_width',
} as const;
type Column = keyof typeof MEANINGS;
const COLUMNS = Object.keys(MEANINGS) as Column[];
/** What it records beside page views and events by name. */
const VIEWS = new Set(['', 'pageview', 'pageviews']);

/** Sessions, and sets of what visitors used, whose latest visitor is known. More than a site has in the half hour that a visit may pause. */
const MAX_KNOWN = 100_000;
type Told = Omit<ImportedHit, 'visitor'> & { line: number; session: string; isUnique: boolean };

/** Gives each row the line of the row that stands for its visitor. */
type Visitors = (told: Told) => number;

function openVisitors({ isNewestFirst }: { isNewestFirst: boolean }): Visitors {
  const seed = newSeed();
  const known = new Map<number, number>();
  const remember = (key: number, line: number) => {
    known.delete(key);
    known.set(key, line);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value ?? 0);
  };
  const usedBy = (told: Told): number => {
    const { country, browser, browser_version, os, os_version, device, language, screen_width } = told;
    const used = [country, browser, browser_version, os, os_version, device, language, screen_width];
    return hashOf(JSON.stringify(used), seed);
  };
  // A visitor's unique row comes after their others, and ends them. Which session's it is cannot be known before.
  if (isNewestFirst)
    return (told) => {
      const used = usedBy(told);
      const visitor = known.get(used) ?? told.line;
      if (told.isUnique) known.delete(used);
      else remember(used, visitor);
      return visitor;
    };
  return (told) => {
    const used = usedBy(told);
    const session = told.session === '' ? undefined : hashOf(`session ${told.session}`, seed);
    const before = (session === undefined ? undefined : known.get(session)) ?? known.get(used);
    const visitor = told.isUnique ? told.line : (before ?? told.line);
    remember(used, visitor);
    if (session !== undefined) remember(session, visitor);
    return visitor;
  };
}

type Times = Record<'added_iso' | 'added_unix', number>;
const timeOf = (cells: readonly string[], at: Times) =>
  readInstant(cells[at.added_iso] ?? '') ?? instantOf(cells[at.added_unix] ?? '', { perSecond: 1 });

function isNewestFirst(sample: readonly string[][], at: Times): boolean {
  const times = sample.map((cells) => timeOf(cells, at)).filter((time) => time !== undefined);
  return (times[0] ?? 0) > (times.at(-1) ?? 0);
}

const csv: CsvFormat = {
  kind: 'hits',
  open({ header, sample }) {
    const hasTime = hasColumns(header, ['added_iso']) || hasColumns(header, ['added_unix']);
    if (!hasTime || !(hasColumns(header, ['path']) || hasColumns(header, ['datapoint']))) return undefined;
    const at = indexesOf(header, COLUMNS);
    const row = { width: header.length, needed: Math.max(at.added_iso, at.added_unix, at.path, at.datapoint) + 1 };
    const tellsUnique = at.is_unique !== -1;
    const newVisitors = () => openVisitors({ isNewestFirst: isNewestFirst(sample, at) });
    let visitorOf = newVisitors();
    return {
      becomes: becomesBy(header, MEANINGS),
      begin: () => (visitorOf = newVisitors()),
      put(cells, { hits }, line) {
        const problem = widthProblem(cells, row);
        if (problem) return problem;
        const cell = (column: Column) => cells[at[column]] ?? '';
        if (isYes(cell('is_robot'))) return 'bot';
        const time = timeOf(cells, at);
        if (time === undefined) return 'no_date';
        const isView = VIEWS.has(cell('datapoint').toLowerCase());
        const path = pathOf(cell('path'), keptQuery(cell('query')).slice(1) || taggedQuery(cell));
        const name = isView ? PAGEVIEW : eventName(cell('datapoint'));
        if (isView && path === '') return 'no_page';
        if (name === '') return 'unreadable';
        const hit = {
          ...BLANK_HIT,
          time,
          name,
          hostname: hostnameOf(cell('hostname')),
          path,
          referrer: referrerOf(cell('document_referrer')),
          country: countryOf(cell('country_code')),
          ...machineOf({
            browser: cell('browser_name'),
            browserVersion: cell('browser_version'),
            os: cell('os_name'),
            osVersion: cell('os_version'),
            device: cell('device_type'),
            language: [cell('lang_language'), cell('lang_region')].filter((part) => part !== '').join('-'),
            screen: cell('screen_width'),
          }),
        };
        const session = cell('session_id');
        hits.push({
          ...hit,
          visitor: tellsUnique
            ? `line ${visitorOf({ ...hit, line, session, isUnique: isYes(cell('is_unique')) })}`
            : session || `line ${line}`,
        });
        return undefined;
      },
    };
  },
};

export const simpleAnalytics: Format = { product: 'Simple Analytics', csv };
