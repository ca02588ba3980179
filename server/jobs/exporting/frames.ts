// What the frames of a sealed export hold, once they are decrypted.
import { z } from 'zod';
import { MAX_AMOUNT } from '../../vocabulary/limits.ts';
import { NOTE_KINDS } from '../../vocabulary/settings/notes.ts';

const name = z.string().max(100);
const count = z.int().min(0);

/** The first frame. */
export const manifest = z.object({
  version: z.literal(1),
  domain: z.string().max(253),
  days: z.array(z.object({ day: z.iso.date(), pageviews: count, visitors: count })).max(50_000),
});
export type Manifest = z.output<typeof manifest>;

const TABLES = ['events', 'ai_visits', 'vitals', 'errors', 'sums'] as const;
export type SealedTable = (typeof TABLES)[number];
/** The first line of a frame of rows: each further line is a list of cells. */
export const frameHead = z.object({ table: z.enum(TABLES), columns: z.array(name).max(200) });

const definition = z.record(z.string(), z.unknown());
/** Ids are replaced by those here: nothing else in a definition may look like one. */
const recordId = z.string().regex(/^[a-z]+_[0-9A-Z]{16,26}$/);
const named = z.object({ id: recordId, name: z.string().max(500), definition });
const MOST = 1_000;

/** The last frame: what people have set up. */
export const trailer = z.object({
  settings: z.object({
    timezone: name.nullable(),
    currency: name.nullable(),
    max_amount: z.int().min(1).max(MAX_AMOUNT),
    settings: definition,
  }),
  goals: z.array(named).max(MOST),
  funnels: z.array(named).max(MOST),
  segments: z.array(named.extend({ definition: z.unknown() })).max(MOST),
  notes: z
    .array(
      z.object({
        day: z.iso.date(),
        text: z.string().max(10_000),
        is_private: z.boolean(),
        /** Files from before there were kinds are read as migration 005 reads notes. */
        kind: z.enum(NOTE_KINDS).default('release'),
      }),
    )
    .max(MOST),
});
export type Trailer = z.output<typeof trailer>;
