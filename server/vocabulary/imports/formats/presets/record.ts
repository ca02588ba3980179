// One event as a product recorded it, in its words, and the hit that it becomes.
import { PAGEVIEW } from '../../../event.ts';
import type { ImportBatch, RejectReason } from '../../import.ts';
import { hostnameOf, pathOf, referrerOf } from '../../values/addresses.ts';
import { countryOf, regionOf } from '../../values/places.ts';
import { machineOf, valueOf } from '../../values/names.ts';
import { eventName } from '../events.ts';

/** Texts are '' where the product does not say. */
type EventRecord = {
  time: number | undefined;
  isView: boolean;
  /** Of an event that is no view. */
  name: string;
  visitor: string;
  hostname: string;
  path: string;
  query: string;
  referrer: string;
  country: string;
  region: string;
  city: string;
  browser: string;
  browserVersion: string;
  os: string;
  osVersion: string;
  device: string;
  language: string;
  screenWidth: string;
};

/** `line` stands for a visitor that is not known. */
export function putRecord(record: EventRecord, { hits }: ImportBatch, line: number): RejectReason | undefined {
  const { time, isView, visitor } = record;
  if (time === undefined) return 'no_date';
  const path = pathOf(record.path, record.query);
  const name = isView ? PAGEVIEW : eventName(record.name);
  if (isView && path === '') return 'no_page';
  if (name === '') return 'unreadable';
  const country = countryOf(record.country);
  hits.push({
    time,
    visitor: visitor === '' ? `line ${line}` : visitor,
    name,
    hostname: hostnameOf(record.hostname),
    path,
    referrer: referrerOf(record.referrer),
    country,
    region: regionOf(record.region, country),
    city: valueOf(record.city),
    ...machineOf({ ...record, osVersion: record.osVersion || undefined, screen: record.screenWidth }),
  });
  return undefined;
}
