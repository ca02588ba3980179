// GoatCounter's JSON export, version 1: a zip of lists, such as paths.jsonl, and of counts by hour or day that name their entries by number
// (arp242/goatcounter, tpl/help/export-json.md and exportjson.go). It counts how many visitors a page had, and neither their visits nor who
// saw several pages: page views and visitors are the same number, and those of a day are added up over its pages.
import { ImportError, type ImportBatch, type RejectReason } from '../../import.ts';
import { type JsonObject, textOf } from '../../reading/json.ts';
import type { Lookup } from '../../reading/lookups.ts';
import { pageLabel, placeOf, referrerLabel, referrerOf } from '../../values/addresses.ts';
import { dayReader } from '../../values/dates.ts';
import { browserLabel, browserOf, languageOf, systemLabel, systemOf, valueOf } from '../../values/names.ts';
import { readCount } from '../../values/numbers.ts';
import { countryOf, regionOf } from '../../values/places.ts';
import { eventName } from '../events.ts';
import { NO_NUMBERS, type JsonFormat, type Numbers, type Put } from '../format.ts';
import type { LabelName } from '../labels.ts';
import { sumOf } from '../sums.ts';

/** `campaign`: the text of a parameter such as utm_source. `source`: what the origin is called in a list. */
export type Origin = { referrer: string; campaign: string; source: string };

/** Names that it generates from addresses, and a host that stands for each. */
const GENERATED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'hacker news': 'news.ycombinator.com',
    google: 'www.google.com',
    reddit: 'www.reddit.com',
    'telegram messenger': 't.me',
    facebook: 'www.facebook.com',
    twitter: 'x.com',
    email: '',
    rss: '',
  }),
);

/** Scheme h is an address, g a name that was made from one, c the text of utm_source, ref, src or source, o another such as an Android app. */
export function originOf(text: string, scheme: string): Origin {
  const name = valueOf(text);
  if (scheme === 'c') return { referrer: '', campaign: name, source: name };
  if (scheme === 'g') return { referrer: GENERATED.get(text.toLowerCase()) ?? '', campaign: '', source: name };
  if (scheme === 'o' && !text.startsWith('android-app://')) return { referrer: '', campaign: '', source: name };
  const { hostname } = placeOf(`https://${text.replace(/^[a-z+-]{1,20}:\/\//i, '')}`) ?? { hostname: name };
  return { referrer: referrerOf(text), campaign: '', source: hostname };
}

type Find = (list: string, id: unknown) => string;
type Labelled = [LabelName, string];
type List = { key: RegExp; fields: readonly string[]; value(row: JsonObject): string };
type Counts = { fields: readonly string[]; labels(row: JsonObject, find: Find): Labelled[] };

/** A name and a version are kept in one text. */
const SEPARATOR = '\n';
const versioned: Pick<List, 'key' | 'fields' | 'value'> = {
  key: /"version"/,
  fields: ['id', 'name', 'version'],
  value: (row) => textOf(row.name) + SEPARATOR + textOf(row.version),
};

const LISTS: Readonly<Record<string, List>> = {
  paths: { key: /"path"/, fields: ['id', 'path', 'event'], value: (row) => textOf(row.path) },
  refs: {
    key: /"ref_scheme"/,
    fields: ['id', 'ref', 'ref_scheme'],
    value: (row) => textOf(row.ref_scheme) + SEPARATOR + textOf(row.ref),
  },
  browsers: versioned,
  systems: versioned,
};

const COUNTS: Readonly<Record<string, Counts>> = {
  hit_stats: {
    fields: ['hour', 'path_id', 'ref_id', 'count'],
    labels: (row, find) => sourceLabels(find('refs', row.ref_id)),
  },
  browser_stats: {
    fields: ['day', 'path_id', 'browser_id', 'count'],
    labels: (row, find) => {
      const [name = '', version = ''] = find('browsers', row.browser_id).split(SEPARATOR);
      return [
        ['browser', browserOf(name)],
        ['browser_version', browserLabel(name, version)],
      ];
    },
  },
  system_stats: {
    fields: ['day', 'path_id', 'system_id', 'count'],
    labels: (row, find) => {
      const [name = '', version = ''] = find('systems', row.system_id).split(SEPARATOR);
      return [
        ['os', systemOf(name).name],
        ['os_version', systemLabel(name, version)],
      ];
    },
  },
  location_stats: {
    fields: ['day', 'path_id', 'location', 'count'],
    labels: (row) => {
      const [country = ''] = textOf(row.location).split('-');
      return [
        ['country', countryOf(country)],
        ['region', regionOf(textOf(row.location), '')],
      ];
    },
  },
  language_stats: {
    fields: ['day', 'path_id', 'language', 'count'],
    labels: (row) => [['language', twoLetters(textOf(row.language))]],
  },
};
/** Labels that not every visitor has. */
const OPTIONAL: ReadonlySet<string> = new Set(['referrer', 'utm_source', 'region'] satisfies LabelName[]);

function sourceLabels(ref: string): Labelled[] {
  const [scheme = '', text = ''] = ref.split(SEPARATOR);
  const { referrer, campaign, source } = originOf(text, scheme);
  return [
    ['source', source],
    ['referrer', referrerLabel(referrer)],
    ['utm_source', campaign],
  ];
}

/** ISO 639-3 such as `eng` as `en`, where there is one. */
function twoLetters(code: string): string {
  if (!/^[a-z]{2,3}$/i.test(code)) return '';
  return languageOf(Intl.getCanonicalLocales(code)[0] ?? '');
}

const nameOf = (file: string): string => /(?:^|\/)(\w{1,40})\.jsonl?(?:\.gz)?$/.exec(file)?.[1] ?? '';
const becomesOf = (fields: readonly string[], meanings: Readonly<Record<string, string>>) =>
  Object.fromEntries(fields.map((field) => [field, meanings[field] ?? null]));

const lists = Object.entries(LISTS).map(([list, { key, fields, value }]): JsonFormat => ({
  kind: 'sums',
  isLookup: true,
  matches: (start, file) => nameOf(file) === list && key.test(start) && start.includes('"id"'),
  becomes: becomesOf(fields, { path: 'page', ref: 'source', name: list === 'systems' ? 'os' : 'browser' }),
  open: ({ name, lookups }) => {
    const known = lookups(list, name);
    const events = lookups('events', name);
    return (row) => {
      const id = textOf(row.id);
      if (id === '') return 'unreadable';
      (list === 'paths' && row.event === true ? events : known).set(id, value(row));
      return undefined;
    };
  },
}));

const counts = Object.entries(COUNTS).map(([title, { fields, labels }]): JsonFormat => ({
  kind: 'sums',
  matches: (start, file) => nameOf(file) === title && start.includes('"path_id"') && start.includes('"count"'),
  becomes: becomesOf(fields, {
    hour: 'day',
    day: 'day',
    path_id: 'page',
    ref_id: 'source',
    browser_id: 'browser',
    system_id: 'os',
    location: 'country',
    language: 'language',
    count: 'visitors',
  }),
  open: ({ name, lookups }) => {
    const find: Find = (list, id) => lookups(list, name).get(textOf(id)) ?? '';
    const put = countReader({ paths: lookups('paths', name), events: lookups('events', name) });
    return title === 'hit_stats'
      ? (row, batch) => put(row, batch, { labels: () => labels(row, find), isTotal: true })
      : (row, batch) => put(row, batch, { labels: () => labels(row, find), isTotal: false });
  },
}));

type Told = { labels(): Labelled[]; isTotal: boolean };

const readDay = dayReader('day_first');

/** Counts of events are left out of all lists but that of events. */
function countReader({ paths, events }: { paths: Lookup; events: Lookup }) {
  return (row: JsonObject, { sums }: ImportBatch, { labels, isTotal }: Told): RejectReason | undefined => {
    const day = readDay(textOf(row.hour) || textOf(row.day));
    if (day === undefined) return 'no_date';
    const text = textOf(row.count);
    const count = text === '' ? undefined : readCount(text);
    if (count === undefined) return 'bad_number';
    const event = events.get(textOf(row.path_id));
    if (event !== undefined) {
      const numbers: Numbers = { ...NO_NUMBERS, visitors: count, events: count };
      if (isTotal)
        sums.push(
          sumOf(day, '', '', { ...numbers, visitors: 0, pageviews: 0 }),
          sumOf(day, 'event', eventName(event), numbers),
        );
      return undefined;
    }
    const path = paths.get(textOf(row.path_id));
    if (path === undefined) return 'no_page';
    const numbers: Numbers = { ...NO_NUMBERS, visitors: count, pageviews: count };
    if (isTotal) sums.push(sumOf(day, '', '', numbers), sumOf(day, 'page', pageLabel(path), numbers));
    for (const [dimension, label] of labels())
      if (label !== '' || !OPTIONAL.has(dimension)) sums.push(sumOf(day, dimension, label, numbers));
    return undefined;
  };
}

/** info.json has nothing to import, and says whether the others can be read: a change of the first number is one that breaks their form. */
const info: JsonFormat = {
  kind: 'sums',
  matches: (start, file) => {
    const version = /"export_version":\s{0,9}"(\d{1,9})\./.exec(start)?.[1];
    if (version !== undefined && version !== '1')
      throw new ImportError({ what: 'goatcounter_version', name: file, version });
    return false;
  },
  becomes: {},
  open: (): Put<JsonObject> => () => undefined,
};

export const goatcounterJson: readonly JsonFormat[] = [info, ...lists, ...counts];
