// The data points of Simple Analytics as CSV: page views and events one by one, with the columns that were chosen for the export
// (https://docs.simpleanalytics.com/api/export-data-points). It has no visitors: without a column of sessions, each hit is one by itself.
import { PAGEVIEW } from '../../event.ts';
import { hostnameOf, keptQuery, pathOf, referrerOf } from '../values/addresses.ts';
import { instantOf, readInstant } from '../values/dates.ts';
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

const csv: CsvFormat = {
  kind: 'hits',
  open({ header }) {
    const hasTime = hasColumns(header, ['added_iso']) || hasColumns(header, ['added_unix']);
    if (!hasTime || !(hasColumns(header, ['path']) || hasColumns(header, ['datapoint']))) return undefined;
    const at = indexesOf(header, COLUMNS);
    const row = { width: header.length, needed: Math.max(at.added_iso, at.added_unix, at.path, at.datapoint) + 1 };
    return {
      becomes: becomesBy(header, MEANINGS),
      put(cells, { hits }, line) {
        const problem = widthProblem(cells, row);
        if (problem) return problem;
        const cell = (column: Column) => cells[at[column]] ?? '';
        if (isYes(cell('is_robot'))) return 'bot';
        const time = readInstant(cell('added_iso')) ?? instantOf(cell('added_unix'), { perSecond: 1 });
        if (time === undefined) return 'no_date';
        const isView = VIEWS.has(cell('datapoint').toLowerCase());
        const path = pathOf(cell('path'), keptQuery(cell('query')).slice(1) || taggedQuery(cell));
        const name = isView ? PAGEVIEW : eventName(cell('datapoint'));
        if (isView && path === '') return 'no_page';
        if (name === '') return 'unreadable';
        hits.push({
          ...BLANK_HIT,
          time,
          visitor: cell('session_id') || `line ${line}`,
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
        });
        return undefined;
      },
    };
  },
};

export const simpleAnalytics: Format = { product: 'Simple Analytics', csv };
