// Queue entries as they are stored: JSON with column names as keys, so that each version can read the entries of earlier versions. Columns
// with their blank value are left out, which is half of an entry.
import { hash } from 'node:crypto';
import {
  BLANK_AI_VISIT,
  BLANK_ERROR,
  BLANK_EVENT,
  BLANK_VITALS,
  type EventId,
  isEmptyList,
  type Recorded,
  type SiteId,
} from '../vocabulary/event.ts';
import { siteOfEntry } from './busy-sites.ts';
import type { Buried, Unreadable } from './queue.ts';

type Entry = Recorded | Unreadable;
type Column = { name: string; blank: unknown; key: string };

const BLANKS: Record<Entry['kind'], Entry> = {
  event: BLANK_EVENT,
  ai_visit: BLANK_AI_VISIT,
  vitals: BLANK_VITALS,
  error: BLANK_ERROR,
  unreadable: { kind: 'unreadable', event_id: '' as EventId, site_id: '' as SiteId, time: 0, text: '' },
};
const COLUMNS = Object.fromEntries(Object.entries(BLANKS).map(([kind, blank]) => [kind, columnsOf(blank)])) as Record<
  Entry['kind'],
  Column[]
>;
/** Between the entries of a list. JSON has no line feeds of its own, so a list can be taken apart that is no JSON. */
export const SEPARATOR = ',\n';
/** The farthest time that a date can have, in milliseconds. */
const MAX_TIME = 8.64e15;
const ID = /^(?:[0-9a-f]{16})?$/;

/** Measured: writing the columns one by one takes as long as JSON.stringify takes for all of them. */
export function writeEntry(entry: Entry): string {
  let text = `{"kind":"${entry.kind}"`;
  for (const { name, blank, key } of COLUMNS[entry.kind]) {
    const value = entry[name as keyof Entry] as unknown;
    if (value === blank || value === undefined || isEmptyList(value)) continue;
    const json = JSON.stringify(value) as string | undefined;
    if (json !== undefined) text += key + json; // there is none of a function
  }
  return `${text}}`;
}

export function readEntry(text: string): Entry {
  return toEntry(parse(text));
}

type Read = { entries: Recorded[]; unreadable: Unreadable[] };

/** Reads a JSON list of entries. Those of the list that are none do not keep the others from being read. */
export const readEntries = (list: string): Read => readAll(parseList(list));

/** Reads one entry of each text. */
export function readTexts(texts: readonly string[]): Read {
  const list = parse(`[${texts.join(',')}]`); // faster than one by one
  return readAll(Array.isArray(list) && list.length === texts.length ? list : texts.map(parse));
}

function readAll(list: readonly unknown[]): Read {
  const entries: Recorded[] = [];
  const unreadable: Unreadable[] = [];
  for (const parsed of list) {
    const entry = toEntry(parsed);
    if (entry.kind === 'unreadable') unreadable.push(entry);
    else entries.push(entry);
  }
  return { entries, unreadable };
}

/** Fills in the columns that an entry lacks, because they were blank or are newer than the entry. */
export function complete<Kind extends Entry>(entry: Kind): Kind {
  return { ...BLANKS[entry.kind], ...entry };
}

export const UNREADABLE = 'The text is no entry of the queue.';
export const buriedOf = (entry: Unreadable): Buried => ({ entry, reason: UNREADABLE, at: entry.time });

function parseList(list: string): unknown[] {
  try {
    return JSON.parse(list) as unknown[];
  } catch {
    return list.slice(1, -1).split(SEPARATOR).map(parse);
  }
}

/** Returns the text itself if it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function toEntry(parsed: unknown): Entry {
  if (!isEntry(parsed)) return unreadableOf(typeof parsed === 'string' ? parsed : JSON.stringify(parsed));
  if (parsed.kind !== 'unreadable') return complete(parsed);
  const again = parse(parsed.text); // this version may read what an earlier one could not
  return isEntry(again) && again.kind !== 'unreadable' ? complete(again) : complete(parsed);
}

/** Whether the writer can work with it. Whether its values are allowed, the store decides. */
function isEntry(parsed: unknown): parsed is Entry {
  if (typeof parsed !== 'object' || parsed === null) return false;
  const entry = parsed as Entry & { visitor_id?: string; order_id?: string };
  if (!Object.hasOwn(BLANKS, entry.kind)) return false;
  const blanks = BLANKS[entry.kind] as Record<string, unknown>;
  for (const name of Object.keys(entry)) if (!isLike(entry[name as keyof Entry], blanks[name])) return false;
  const { event_id = '', visitor_id = '', order_id = '', time = 0 } = entry;
  const isMoment = Number.isInteger(time) && Math.abs(time) <= MAX_TIME;
  return isMoment && ID.test(event_id) && ID.test(visitor_id) && ID.test(order_id);
}

/** Whether a column may have the value. A later version may have further columns. */
function isLike(value: unknown, blank: unknown): boolean {
  if (blank === undefined) return true;
  if (blank === null) return value === null || typeof value === 'number';
  return typeof value === typeof blank && value !== null;
}

function unreadableOf(text: string): Unreadable {
  return {
    kind: 'unreadable',
    event_id: hash('sha256', text, 'hex').slice(0, 16) as EventId,
    site_id: siteOfEntry(text) as SiteId,
    time: Number(/"time":(\d{1,15})\b/.exec(text)?.[1] ?? 0),
    text,
  };
}

function columnsOf({ kind: _, ...blank }: Entry): Column[] {
  return Object.entries(blank).map(([name, value]) => ({ name, blank: value, key: `,${JSON.stringify(name)}:` }));
}
