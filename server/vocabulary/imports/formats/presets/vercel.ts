// Vercel Web Analytics: what a drain sent, as JSON or newline-delimited JSON (https://vercel.com/docs/drains/reference/analytics). The CSV of its
// dashboard has no days.
import { textOf } from '../../reading/json.ts';
import { placeOf } from '../../values/addresses.ts';
import { instantOf } from '../../values/dates.ts';
import type { Format, JsonFormat } from '../format.ts';
import { putRecord } from './record.ts';

const json: JsonFormat = {
  kind: 'hits',
  matches: (start) => /"schema":\s{0,9}"vercel\.analytics\./.test(start),
  becomes: {
    timestamp: 'time',
    deviceId: 'visitor',
    eventType: 'name',
    eventName: 'name',
    origin: 'hostname',
    path: 'path',
    queryParams: 'path',
    referrer: 'referrer',
    country: 'country',
    region: 'region',
    city: 'city',
    clientName: 'browser',
    clientVersion: 'browser_version',
    osName: 'os',
    osVersion: 'os_version',
    deviceType: 'device',
    eventData: null,
    route: null,
    sessionId: null,
  },
  open: () => (row, batch, line) =>
    putRecord(
      {
        time: instantOf(row.timestamp, { perSecond: 1_000 }),
        isView: row.eventType === 'pageview',
        name: textOf(row.eventName),
        visitor: textOf(row.deviceId),
        hostname: placeOf(textOf(row.origin))?.hostname ?? '',
        path: textOf(row.path),
        query: textOf(row.queryParams),
        referrer: textOf(row.referrer),
        country: textOf(row.country),
        region: textOf(row.region),
        city: textOf(row.city),
        browser: textOf(row.clientName),
        browserVersion: textOf(row.clientVersion),
        os: textOf(row.osName),
        osVersion: textOf(row.osVersion),
        device: textOf(row.deviceType),
        language: '',
        screenWidth: '',
      },
      batch,
      line,
    ),
};

export const vercel: Format = { product: 'Vercel', json: [json] };
