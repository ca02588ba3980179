// Matomo's Live.getLastVisitsDetails: visits with what they did, as JSON or as CSV, whose columns are numbered (`actionDetails_0_url`). The CSV of its
// reports by day is read in reports.ts (https://developer.matomo.org/api-reference/reporting-api#Live).
import { PAGEVIEW } from '../../../event.ts';
import type { ImportBatch, ImportedHit, RejectReason } from '../../import.ts';
import { isObject, type JsonObject, textOf } from '../../reading/json.ts';
import { placeOf, referrerOf } from '../../values/addresses.ts';
import { instantOf } from '../../values/dates.ts';
import { countryOf, regionOf } from '../../values/places.ts';
import { machineOf, valueOf } from '../../values/names.ts';
import { eventName } from '../events.ts';
import { BLANK_HIT, hasColumns, meaningIn, type CsvFormat, type Format, type JsonFormat } from '../format.ts';
import { openReport } from './reports.ts';
import { widthProblem } from '../sums.ts';

const MEANINGS: Readonly<Record<string, string | null>> = {
  visitorId: 'visitor',
  idVisit: 'visitor',
  referrerUrl: 'referrer',
  countryCode: 'country',
  regionCode: 'region',
  city: 'city',
  browserName: 'browser',
  browserVersion: 'browser_version',
  operatingSystemName: 'os',
  operatingSystemVersion: 'os_version',
  deviceType: 'device',
  languageCode: 'language',
  resolution: 'screen_width',
};
const ACTION_MEANINGS: Readonly<Record<string, string | null>> = {
  type: 'name',
  url: 'path',
  timestamp: 'time',
  eventAction: 'name',
  pageTitle: null,
};

type Read = (field: string) => string;

/** What an action is called; undefined for one that is neither a page nor an event, such as a goal, which follows from others. */
function nameOf(action: Read): string | undefined {
  const type = action('type');
  if (type === 'action') return PAGEVIEW;
  if (type === 'event') return eventName(action('eventAction') || action('eventCategory'));
  if (type === 'search') return 'search';
  return type === 'outlink' || type === 'download' ? eventName(type) : undefined;
}

function visitOf(visit: Read, line: number): ImportedHit {
  const country = countryOf(visit('countryCode'));
  return {
    ...BLANK_HIT,
    visitor: visit('visitorId') || visit('fingerprint') || visit('idVisit') || `line ${line}`,
    referrer: referrerOf(visit('referrerUrl')),
    country,
    region: regionOf(visit('regionCode'), country),
    city: valueOf(visit('city')),
    ...machineOf({
      browser: visit('browserName'),
      browserVersion: visit('browserVersion'),
      os: visit('operatingSystemName'),
      osVersion: visit('operatingSystemVersion'),
      device: visit('deviceType'),
      language: visit('languageCode'),
      screen: visit('resolution'),
    }),
  };
}

/** The hits of a visit. If one cannot be read, why the first could not: the others count. */
function putVisit(visit: ImportedHit, actions: Iterable<Read>, { hits }: ImportBatch): RejectReason | undefined {
  let problem: RejectReason | undefined;
  let count = 0;
  let { hostname, referrer } = visit;
  for (const action of actions) {
    const name = nameOf(action);
    if (name === undefined) continue;
    const time = instantOf(action('timestamp'), { perSecond: 1 });
    const isElsewhere = name === 'outbound_link' || name === 'file_download';
    const place = isElsewhere ? undefined : placeOf(action('url'));
    if (time === undefined || name === '' || (name === PAGEVIEW && !place)) {
      problem ??= time === undefined ? 'no_date' : name === '' ? 'unreadable' : 'no_page';
      continue;
    }
    hostname = place?.hostname ?? hostname;
    hits.push({ ...visit, time, name, hostname, path: place?.path ?? '', referrer });
    referrer = ''; // that of the first action
    count += 1;
  }
  return problem ?? (count > 0 ? undefined : 'no_page');
}

const readerOf =
  (object: JsonObject): Read =>
  (field) =>
    Object.hasOwn(object, field) ? textOf(object[field]) : '';

const json: JsonFormat = {
  kind: 'hits',
  matches: (start) => start.includes('"actionDetails"'),
  becomes: {
    ...MEANINGS,
    ...Object.fromEntries(
      Object.entries(ACTION_MEANINGS).map(([field, meaning]) => [`actionDetails.${field}`, meaning]),
    ),
    visitIp: null,
    userId: null,
  },
  open: () => (row, batch, line) => {
    const details: unknown[] = Array.isArray(row.actionDetails) ? row.actionDetails : [];
    return putVisit(visitOf(readerOf(row), line), details.filter(isObject).map(readerOf), batch);
  },
};

const ACTION = /^actionDetails_(\d{1,4})_(\w{1,40})$/;

const csv: CsvFormat = {
  kind: 'hits',
  open(head, file) {
    const { header } = head;
    if (!hasColumns(header, ['idvisit', 'actiondetails_0_type', 'actiondetails_0_url'])) return openReport(head, file);
    const visitAt = new Map(header.map((column, index) => [column, index] as const).reverse());
    const actionsAt: Map<string, number>[] = [];
    header.forEach((column, index) => {
      const [, number, field = ''] = ACTION.exec(column) ?? [];
      if (number !== undefined) (actionsAt[Number(number)] ??= new Map<string, number>()).set(field, index);
    });
    const row = { width: header.length, needed: 1 };
    return {
      becomes: header.map(
        (column) => meaningIn(MEANINGS, column) ?? meaningIn(ACTION_MEANINGS, ACTION.exec(column)?.[2] ?? ''),
      ),
      put(cells, batch, line) {
        const problem = widthProblem(cells, row);
        if (problem) return problem;
        const readAt =
          (at: Map<string, number>): Read =>
          (field) =>
            cells[at.get(field) ?? -1] ?? '';
        const actions = actionsAt.filter((at) => readAt(at)('type') !== '').map(readAt);
        return putVisit(visitOf(readAt(visitAt), line), actions, batch);
      },
    };
  },
};

export const matomo: Format = { product: 'Matomo', csv, json: [json] };
