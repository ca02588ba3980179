// Reads the frames of a sealed export on the server that it was encrypted for. Whoever knows the key that an account shows can seal whatever they
// like, so that every value is checked before it is stored.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { MAX_MEASURED_MS } from '../../collect/agents/elements.ts';
import { MAX_KEPT_TEXT } from '../../collect/errors/read.ts';
import type { Directory } from '../../directory/open.ts';
import { unsealFor } from '../../directory/sealing.ts';
import { Refusal } from '../../errors.ts';
import type { Site } from '../../sites/sites.ts';
import type { SEALED_SUMS } from '../../stats/answers/sealed-rows.ts';
import { SEALED_COLUMNS } from '../../stats/answers/sealed-rows.ts';
import type { ImportedSumRow } from '../../store/imported.ts';
import { blanksOf, valuesOf } from '../../store/rows.ts';
import {
  type AiVisit,
  type Column,
  type ColumnType,
  DEVICES,
  type VisitedError,
  type VisitedEvent,
  type VisitedVitals,
} from '../../vocabulary/event.ts';
import { frameHead, type SealedTable } from './frames.ts';
import { ERROR_KINDS, ERROR_SHAPE } from '../../vocabulary/numbers/errors.ts';
import { EARLIEST_IMPORT, MAX_IMPORTED_COUNT } from '../../vocabulary/settings/imports.ts';
import { cut } from '../../vocabulary/texts/spelling.ts';
import { DAY_MS, dayOf, readDay } from '../../vocabulary/time/time.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** A frame as it was sent. `keys`: from the head of its file. */
export type SealedFrame = { keys: Buffer; frame: Buffer };

/** Three times what an export puts into a frame. */
const MAX_TEXT_BYTES = 4_000_000;
const unzip = promisify(zstdDecompress);
const damaged = (cause?: unknown) =>
  new Refusal('bad_request', t('This file was damaged or changed: export it again.'), { cause });

/** Decrypts a frame for the account of a site. Throws bad_request for another recipient, and for one that was changed. */
export async function openFrame(
  directory: Directory,
  { site, keys, frame }: SealedFrame & { site: Site },
  { index, isLast, now }: { index: number; isLast: boolean; now: number },
): Promise<string> {
  const unseal = await unsealFor(directory, site.account_id, keys, now);
  const zipped = unseal(frame, { index, isLast });
  try {
    return (await unzip(zipped, { maxOutputLength: MAX_TEXT_BYTES })).toString();
  } catch (error) {
    throw damaged(error);
  }
}

/** Reads a frame that is one value. */
export function readValue<Value>(text: string, schema: z.ZodType<Value>): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw damaged(error);
  }
}

/** Of one frame. The rows of an export take at least 230, 75, 150, 170 and 47 bytes, and reading these many takes half a second. */
const MAX_ROWS: Record<SealedTable, number> = {
  events: 6_000,
  ai_visits: 20_000,
  vitals: 10_000,
  errors: 8_000,
  sums: 30_000,
};
const MOST_ROWS = Math.max(...Object.values(MAX_ROWS));
const MAX_TEXT = 4_096;
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_INT32 = 2 ** 31 - 1;
const EARLIEST = readDay(EARLIEST_IMPORT) ?? NaN;
const text = z
  .string()
  .max(MAX_TEXT)
  .refine((value) => value.isWellFormed());
/** Characters, not UTF-16 units. */
const errorText = text.refine((value) => cut(value, MAX_KEPT_TEXT) === value);
const day = z.string().refine((value) => readDay(value) !== undefined && value >= EARLIEST_IMPORT);
const whole = (least: number, most: number) => z.int().min(least).max(most);

const BY_TYPE: Record<ColumnType, z.ZodType> = {
  text,
  id: z.string().regex(/^(?:[0-9a-f]{16})?$/),
  instant: whole(EARLIEST, Number.MAX_SAFE_INTEGER),
  day,
  number: whole(0, MAX_UINT32),
  flag: z.boolean(),
  amount: z.string().regex(/^(?:-?\d{1,14}(?:\.\d{1,4})?)?$/),
  texts: z.record(text, text).refine((props) => Object.keys(props).length <= 100),
  measure: z.number().min(0).max(MAX_MEASURED_MS).nullable(),
  bigint: z
    .bigint()
    .min(0n)
    .max(2n ** 64n - 1n),
};
/** Numbers that the store keeps in fewer bytes, and texts of a closed set. */
const BY_NAME: Record<string, z.ZodType> = {
  visit_started: whole(0, 1),
  bounces: whole(-1, 1),
  out_of_order: whole(0, 1),
  scroll: whole(0, 100),
  scroll_before: whole(0, 100),
  status: whole(0, 65_535),
  device: z.enum(DEVICES),
  currency: z.string().regex(/^(?:[A-Z]{3})?$/),
  error_shape: z.string().regex(ERROR_SHAPE),
  error_kind: z.enum(ERROR_KINDS),
  error_message: errorText.min(1),
  error_file: errorText,
  error_line: whole(0, MAX_INT32),
  occurrences: whole(1, MAX_INT32),
};
const rowOf = (columns: Record<string, Column>) =>
  z.object(
    Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, BY_NAME[name] ?? BY_TYPE[type]])),
  );
const ROWS = {
  events: rowOf(SEALED_COLUMNS.events),
  ai_visits: rowOf(SEALED_COLUMNS.ai_visits),
  vitals: rowOf(SEALED_COLUMNS.vitals),
  errors: rowOf(SEALED_COLUMNS.errors),
};

const count = z.coerce.number().int().min(0).max(MAX_IMPORTED_COUNT);
const sumRow = z.object({
  dimension: text,
  day,
  label: text,
  unique_visitors: count,
  visits: count.nullable(),
  pageviews: count.nullable(),
  events: count,
  bounces: z.coerce.number().int().min(-MAX_IMPORTED_COUNT).max(MAX_IMPORTED_COUNT).nullable(),
  visit_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_IMPORTED_COUNT * 1_000)
    .nullable(),
} satisfies Record<(typeof SEALED_SUMS)[number], z.ZodType>);

export type SealedRows = {
  events: VisitedEvent[];
  aiVisits: AiVisit[];
  vitals: VisitedVitals[];
  errors: VisitedError[];
  sums: ImportedSumRow[];
  notOver: number;
};

/** Reads the rows of a frame. `notOver`: how many are left out because their day has not ended on this site. */
export function readSealedRows(text: string, { id, timezone }: Site, now: number): SealedRows {
  const [head = '', ...lines] = text.split('\n', MOST_ROWS + 2);
  const today = dayIn(timezone ?? UTC, now);
  const own = { site_id: id, import_id: '' };
  const read: SealedRows = { events: [], aiVisits: [], vitals: [], errors: [], sums: [], notOver: 0 };
  try {
    const { table, columns } = frameHead.parse(JSON.parse(head));
    if (lines.length > MAX_ROWS[table]) throw new Error(`A frame has at most ${MAX_ROWS[table]} rows.`);
    for (const line of lines) {
      const row = readRow(table, columns, z.array(z.unknown()).parse(JSON.parse(line)));
      if (row.day >= today) read.notOver += 1;
      else if (table === 'sums') read.sums.push(row as ImportedSumRow);
      else if (table === 'events') read.events.push({ kind: 'event', ...own, ...row } as VisitedEvent);
      else if (table === 'vitals') read.vitals.push({ kind: 'vitals', ...own, ...row } as VisitedVitals);
      else if (table === 'errors') read.errors.push({ kind: 'error', ...own, ...row } as VisitedError);
      else read.aiVisits.push({ kind: 'ai_visit', ...own, ...row } as AiVisit);
    }
  } catch (error) {
    throw damaged(error);
  }
  return read;
}

function readRow(table: SealedTable, names: readonly string[], cells: readonly unknown[]): { day: string } {
  const given = new Map(names.map((name, index) => [name, cells[index]]));
  if (table === 'sums') return sumRow.parse(Object.fromEntries(given));
  const columns = SEALED_COLUMNS[table];
  const known = Object.fromEntries(Object.entries(columns).filter(([name]) => given.has(name)));
  const values = valuesOf(
    known,
    Object.keys(known).map((name) => given.get(name)),
  );
  const row = ROWS[table].parse({ ...blanksOf(columns), ...values }) as { day: string; time: number };
  const ofTime = dayOf(row.time);
  const isNear = Math.abs((readDay(row.day) ?? NaN) - (readDay(ofTime) ?? NaN)) <= DAY_MS;
  if (!isNear) throw new Error(`${row.day} is not the day of ${ofTime}.`);
  return row;
}
