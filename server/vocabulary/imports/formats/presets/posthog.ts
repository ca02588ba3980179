// PostHog: events as newline-delimited JSON of a batch export (https://posthog.com/docs/data-pipelines/batch-exports/s3), or as a CSV of the SQL
// editor with the columns event, properties, timestamp and distinct_id (https://posthog.com/docs/data-pipelines/sources/posthog). What a visitor
// used stands in the properties (rybbit-io/rybbit, server/src/services/import/mappers/posthog.ts).
import type { ImportBatch, RejectReason } from '../../import.ts';
import { isObject, type JsonObject, textOf } from '../../reading/json.ts';
import { placeOf } from '../../values/addresses.ts';
import { readInstant } from '../../values/dates.ts';
import { becomesBy, type CsvFormat, type Format, hasColumns, indexesOf, type JsonFormat } from '../format.ts';
import { widthProblem } from '../sums.ts';
import { putRecord } from './record.ts';

const MEANINGS = {
  timestamp: 'time',
  event: 'name',
  distinct_id: 'visitor',
  properties: 'path',
} as const;
const COLUMNS = Object.keys(MEANINGS) as (keyof typeof MEANINGS)[];

type Told = { time: string; name: string; visitor: string; properties: unknown };

const propertiesOf = (value: unknown): JsonObject | undefined => {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

function putEvent(told: Told, batch: ImportBatch, line: number): RejectReason | undefined {
  const { name, visitor } = told;
  const isView = name === '$pageview';
  if (name.startsWith('$') && !isView) return undefined; // its own, such as $pageleave
  const properties = propertiesOf(told.properties);
  if (!properties) return 'unreadable';
  const text = (key: string) => textOf(properties[key]);
  const page = placeOf(text('$current_url'));
  const referrer = text('$referrer');
  return putRecord(
    {
      time: readInstant(told.time),
      isView,
      name,
      visitor: text('$device_id') || visitor, // the second becomes the person's own when somebody logs in
      hostname: page?.hostname ?? '',
      path: page?.path ?? '',
      query: '',
      referrer: referrer === '$direct' ? '' : referrer,
      country: text('$geoip_country_code'),
      region: text('$geoip_subdivision_1_code'),
      city: text('$geoip_city_name'),
      browser: text('$browser'),
      browserVersion: text('$browser_version'),
      os: text('$os'),
      osVersion: text('$os_version'),
      device: text('$device_type'),
      language: text('$browser_language'),
      screenWidth: text('$screen_width'),
    },
    batch,
    line,
  );
}

const csv: CsvFormat = {
  kind: 'hits',
  open({ header }) {
    if (!hasColumns(header, COLUMNS)) return undefined;
    const at = indexesOf(header, COLUMNS);
    const row = { width: header.length, needed: Math.max(...Object.values(at)) + 1 };
    return {
      becomes: becomesBy(header, MEANINGS),
      put(cells, batch, line) {
        const problem = widthProblem(cells, row);
        if (problem) return problem;
        const cell = (column: keyof typeof MEANINGS) => cells[at[column]] ?? '';
        const told = {
          time: cell('timestamp'),
          name: cell('event'),
          visitor: cell('distinct_id'),
          properties: cell('properties'),
        };
        return putEvent(told, batch, line);
      },
    };
  },
};

const json: JsonFormat = {
  kind: 'hits',
  matches: (start) =>
    ['"event"', '"distinct_id"', '"timestamp"', '"properties"'].every((field) => start.includes(field)),
  becomes: { ...MEANINGS, person_properties: null, person_id: null },
  open:
    () =>
    ({ timestamp, event, distinct_id, properties }, batch, line) =>
      putEvent({ time: textOf(timestamp), name: textOf(event), visitor: textOf(distinct_id), properties }, batch, line),
};

export const posthog: Format = { product: 'PostHog', csv, json: [json] };
