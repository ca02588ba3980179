// The table website_event of Umami's data export, or of a dump of its database: hits one by one, in UTC, 23 to 36 columns by release. A visitor is a session, which Umami begins
// anew each month (umami-software/umami, prisma/schema.prisma; rybbit-io/rybbit, server/src/services/import/mappers/umami.ts).
import { PAGEVIEW } from '../../event.ts';
import { hostnameOf, pathOf, referrerOf } from '../values/addresses.ts';
import { readInstant } from '../values/dates.ts';
import { countryOf, regionOf } from '../values/places.ts';
import { machineOf, valueOf } from '../values/names.ts';
import { remember } from '../values/memo.ts';
import { eventName } from './events.ts';
import { becomesBy, hasColumns, indexesOf, type Format, type Table, taggedQuery, TAGS_IN_PATH } from './format.ts';
import { umamiDump } from './joined/umami-dump.ts';
import { widthProblem } from './sums.ts';

const MEANINGS = {
  created_at: 'time',
  session_id: 'visitor',
  event_type: 'name',
  event_name: 'name',
  hostname: 'hostname',
  url_path: 'path',
  url_query: 'path',
  referrer_domain: 'referrer',
  referrer_path: 'referrer',
  country: 'country',
  region: 'region',
  subdivision1: 'region',
  city: 'city',
  browser: 'browser',
  os: 'os',
  device: 'device',
  language: 'language',
  screen: 'screen_width',
  ...TAGS_IN_PATH,
} as const;
type Column = keyof typeof MEANINGS;
const COLUMNS = Object.keys(MEANINGS) as Column[];

const VIEW = '1';
const EVENT = '2';

function openEvents(header: readonly string[]): Table | undefined {
  if (!hasColumns(header, ['session_id', 'url_path', 'event_type', 'created_at'])) return undefined;
  const at = indexesOf(header, COLUMNS);
  const row = {
    width: header.length,
    needed: Math.max(at.session_id, at.url_path, at.event_type, at.created_at) + 1,
  };
  const hasTags = Object.keys(TAGS_IN_PATH).some((tag) => hasColumns(header, [tag]));
  const regionAt = at.region === -1 ? at.subdivision1 : at.region;
  return {
    becomes: becomesBy(header, MEANINGS),
    put(cells, { hits }) {
      const problem = widthProblem(cells, row);
      if (problem) return problem;
      const cell = (column: Column) => textOf(cells[at[column]]);
      const time = readInstant(cell('created_at'));
      if (time === undefined) return 'no_date';
      const type = cell('event_type');
      const isView = type === VIEW;
      if (!isView && type !== EVENT) return 'unreadable'; // clicks of its links and pixels, which are no pages
      // newer releases have the tags of campaigns in columns
      const path = pathOf(cell('url_path'), cell('url_query') || (hasTags ? taggedQuery(cell) : ''));
      const name = isView ? PAGEVIEW : eventName(cell('event_name'));
      if (isView && path === '') return 'no_page';
      if (name === '') return 'unreadable';
      const country = countryOf(cell('country'));
      const domain = cell('referrer_domain');
      hits.push({
        time,
        visitor: cell('session_id'),
        name,
        hostname: hostnameOf(cell('hostname')),
        path,
        referrer: domain === '' ? '' : referrerOf(`https://${domain}${cell('referrer_path')}`),
        country,
        region: regionOf(textOf(cells[regionAt]), country),
        city: cityOf(cell('city')),
        ...machineOf({
          browser: cell('browser'),
          os: cell('os'),
          device: cell('device'),
          language: cell('language'),
          screen: cell('screen'),
        }),
      });
      return undefined;
    },
  };
}

export const umami: Format = {
  product: 'Umami',
  csv: { kind: 'hits', open: ({ header }) => openEvents(header) },
  dump: umamiDump(openEvents, MEANINGS),
};

const cityOf = remember((text) => valueOf(text));

/** NULL is \N in its export, and `NULL` in some dumps. */
const textOf = (cell = '') => (cell === '\\N' || cell === 'NULL' ? '' : cell);
