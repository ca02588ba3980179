// OpenPanel: the table of events as self-hosting/export-for-cloud.sh writes it, newline-delimited JSON (Openpanel-dev/openpanel;
// packages/db/code-migrations/3-init-ch.ts has its columns). A page view is called screen_view, and the page's query is among the properties.
import { type JsonObject, objectOf, textOf } from '../../reading/json.ts';
import { placeOf } from '../../values/addresses.ts';
import { readInstant } from '../../values/dates.ts';
import type { Format, JsonFormat } from '../format.ts';
import { putRecord } from './record.ts';

/** What it counts by itself beside page views. */
const AUTOMATIC = new Set(['session_start', 'session_end']);
const QUERY = '__query.';

function queryOf(properties: JsonObject): string {
  const tags = Object.entries(properties).filter(([key, value]) => key.startsWith(QUERY) && textOf(value) !== '');
  if (tags.length === 0) return '';
  return new URLSearchParams(tags.map(([key, value]) => [key.slice(QUERY.length), textOf(value)])).toString();
}

const json: JsonFormat = {
  kind: 'hits',
  // Its sessions and profiles have some of these fields, but not all.
  matches: (start) =>
    ['"name"', '"device_id"', '"profile_id"', '"origin"', '"path"', '"created_at"'].every((field) =>
      start.includes(field),
    ),
  becomes: {
    created_at: 'time',
    device_id: 'visitor',
    name: 'name',
    origin: 'hostname',
    path: 'path',
    'properties.__query': 'path',
    referrer: 'referrer',
    country: 'country',
    region: 'region',
    city: 'city',
    browser: 'browser',
    browser_version: 'browser_version',
    os: 'os',
    os_version: 'os_version',
    device: 'device',
    profile_id: null,
    properties: null,
    duration: null,
  },
  open: () => (row, batch, line) => {
    const name = textOf(row.name);
    if (AUTOMATIC.has(name)) return undefined;
    return putRecord(
      {
        time: readInstant(textOf(row.created_at)),
        isView: name === 'screen_view',
        name,
        visitor: textOf(row.device_id),
        hostname: placeOf(textOf(row.origin))?.hostname ?? '',
        path: textOf(row.path),
        query: queryOf(objectOf(row.properties)),
        referrer: textOf(row.referrer),
        country: textOf(row.country),
        region: textOf(row.region),
        city: textOf(row.city),
        browser: textOf(row.browser),
        browserVersion: textOf(row.browser_version),
        os: textOf(row.os),
        osVersion: textOf(row.os_version),
        device: textOf(row.device),
        language: '',
        screenWidth: '',
      },
      batch,
      line,
    );
  },
};

export const openpanel: Format = { product: 'OpenPanel', json: [json] };
