// GoatCounter's CSV export, versions 1 and 2: page views and events one by one (arp242/goatcounter, tpl/help/export.md and exportcsv.go). The
// version stands before the name of the first column. Version 1 has the user agent under `Browser`; it is not read. Its JSON is in joined/.
import { PAGEVIEW } from '../../event.ts';
import { pathOf } from '../values/addresses.ts';
import { readInstant } from '../values/dates.ts';
import { countryOf, regionOf } from '../values/places.ts';
import { countedVersion, isYes, systemOf, versionedBrowserOf, widthOf } from '../values/names.ts';
import { eventName } from './events.ts';
import { BLANK_HIT, becomesBy, hasColumns, indexesOf, type CsvFormat, type Format } from './format.ts';
import { goatcounterJson, type Origin, originOf } from './joined/goatcounter-json.ts';
import { widthProblem } from './sums.ts';

const MEANINGS = {
  path: 'path',
  event: 'name',
  browser: 'browser',
  system: 'os',
  session: 'visitor',
  bot: 'bot',
  referrer: 'referrer',
  'referrer scheme': 'referrer',
  'screen size': 'screen_width',
  location: 'country',
  date: 'time',
} as const;
type Column = keyof typeof MEANINGS;
const COLUMNS = Object.keys(MEANINGS) as Column[];

const csv: CsvFormat = {
  kind: 'hits',
  open({ header }) {
    const found = versionOf(header);
    if (!found || !hasColumns(found.header, ['event', 'bot', 'session', 'date'])) return undefined;
    const at = indexesOf(found.header, COLUMNS);
    const row = { width: found.header.length, needed: Math.max(at.path, at.event, at.bot, at.session, at.date) + 1 };
    return {
      becomes: [...(found.isApart ? [null] : []), ...becomesBy(found.header, meaningsOf(found.version))],
      put(cells, { hits }, line) {
        const problem = widthProblem(cells, row);
        if (problem) return problem;
        const cell = (column: Column) => cells[at[column]] ?? '';
        if (!/^0?$/.test(cell('bot'))) return 'bot';
        const time = readInstant(cell('date'));
        if (time === undefined) return 'no_date';
        const isEvent = isYes(cell('event'));
        const from = originOf(cell('referrer'), cell('referrer scheme'));
        const path = isEvent ? '' : pathOf(cell('path'), '') || '';
        const name = isEvent ? eventName(cell('path')) : PAGEVIEW;
        if (name === '' || (!isEvent && path === '')) return 'no_page';
        const browser = found.version === '1' ? { name: '', version: '' } : versionedBrowserOf(cell('browser'));
        const os = systemOf(cell('system'));
        const [country = ''] = cell('location').split('-');
        hits.push({
          ...BLANK_HIT,
          time,
          visitor: /[1-9a-f]/i.test(cell('session')) ? cell('session') : `line ${line}`,
          name,
          path: path === '' ? path : tagged(path, from),
          referrer: from.referrer,
          country: countryOf(country),
          region: regionOf(cell('location'), ''),
          browser: browser.name,
          browser_version: browser.version,
          os: os.name,
          os_version: countedVersion(os.name, os.version),
          screen_width: widthOf(cell('screen size')),
        });
        return undefined;
      },
    };
  },
};

export const goatcounter: Format = { product: 'GoatCounter', csv, json: goatcounterJson };

/** `2Path`, `"2,Path"`, or `2,Path` without quotes, which gives the header a cell more than its rows. */
function versionOf(header: readonly string[]) {
  const [first = '', ...rest] = header;
  const [, version, path] = /^([12])(?:,?(Path))?$/.exec(first) ?? [];
  if (version === undefined) return undefined;
  if (path !== undefined) return { version, isApart: false, header: ['path', ...rest] };
  return rest[0] === 'Path' ? { version, isApart: true, header: ['path', ...rest.slice(1)] } : undefined;
}

const meaningsOf = (version: string): Readonly<Record<string, string | null>> => ({
  ...MEANINGS,
  ...(version === '1' && { browser: null }),
});

function tagged(path: string, { campaign }: Origin): string {
  if (campaign === '') return path;
  const [page = '', query = ''] = path.split('?');
  const tags = new URLSearchParams(query);
  if (!tags.has('utm_source')) tags.set('utm_source', campaign);
  return `${page}?${tags.toString()}`;
}
