// Procedures for imports: the rows of another product's files arrive in parts, read in the browser, and count once the last has come.
import { z } from 'zod';
import { receivingKey } from '../../directory/sealing.ts';
import { recordAction } from '../../accounts/account-log.ts';
import type { SiteAccess } from '../../sites/access.ts';
import { type ListedImport, listImports, toPublicImport } from '../../sites/import-list.ts';
import { SUMMED_DIMENSIONS } from '../../stats/days/summed-days.ts';
import { DEVICES } from '../../vocabulary/event.ts';
import { FORMAT_NAMES } from '../../vocabulary/imports/formats/formats.ts';
import { REJECT_REASONS } from '../../vocabulary/imports/import.ts';
import { KEY_BYTES, MAX_FRAME_BYTES } from '../../vocabulary/imports/reading/sealed.ts';
import { MAX_ADDRESS, MAX_HEADER, MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import {
  EARLIEST_IMPORT,
  MAX_IMPORTED_COUNT,
  MAX_IMPORTED_NAME,
  MAX_LOGGED_ADDRESS,
  MAX_PART_CHARACTERS,
  MAX_PART_ROWS,
} from '../../vocabulary/settings/imports.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { readDay } from '../../vocabulary/time/time.ts';
import { actorIds, type Context, router, siteProcedure } from '../trpc.ts';

const id = z.string().max(MAX_RECORD_ID);
const count = z.number().int().min(0).max(MAX_IMPORTED_COUNT);
const day = z.string().refine((text) => readDay(text) !== undefined && text >= EARLIEST_IMPORT, {
  message: `must be a day such as 2026-12-31, from ${EARLIEST_IMPORT} on`,
});
const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
/** An `ImportedSum`. */
const sum = z
  .strictObject({
    day,
    dimension: z.custom<'' | Dimension>(
      (value) => value === '' || value === 'goal' || SUMMED_DIMENSIONS.some((dimension) => dimension === value),
      'must be empty, or a dimension of visits and pages',
    ),
    label: wellFormed.max(MAX_PART_CHARACTERS),
    visitors: count,
    visits: count.nullable(),
    pageviews: count.nullable(),
    events: count,
    bounces: count.nullable(),
    visit_seconds: z.number().min(0).max(MAX_IMPORTED_COUNT).nullable(),
  })
  // Conditions of goals are kept as a hash.
  .refine(({ dimension, label }) => dimension === 'goal' || label.length <= MAX_ADDRESS, {
    path: ['label'],
    message: `must have at most ${MAX_ADDRESS} characters`,
  });

const name = wellFormed.max(MAX_IMPORTED_NAME);
/** An `ImportedHit`. */
const hit = z.strictObject({
  time: z
    .number()
    .int()
    .min(readDay(EARLIEST_IMPORT) ?? 0)
    .max(Date.UTC(2200, 0, 1)),
  visitor: wellFormed.max(MAX_PART_CHARACTERS),
  name: name.min(1),
  hostname: z.string().max(253),
  path: z
    .string()
    .regex(/^(?:\/.*)?$/s, 'must begin with /, or be empty')
    .max(MAX_ADDRESS),
  referrer: z.string().max(MAX_ADDRESS),
  country: z.string().regex(/^(?:[A-Z]{2})?$/, 'must be two letters, such as DE, or empty'),
  region: z.string().regex(/^(?:[A-Z]{2}-[A-Z0-9]{1,3})?$/, 'must be such as DE-BY, or empty'),
  city: name,
  browser: name,
  browser_version: name,
  os: name,
  os_version: name,
  device: z.enum(DEVICES),
  language: name,
  screen_width: z.number().int().min(0).max(100_000),
  request: z
    .strictObject({
      address: wellFormed.max(MAX_LOGGED_ADDRESS),
      user_agent: wellFormed.max(MAX_HEADER),
      status: z.number().int().min(0).max(999),
    })
    .optional(),
});

/** Bytes in base64. */
const bytes = (most: number) =>
  z
    .base64()
    .max(Math.ceil(most / 3) * 4)
    .transform((text) => Buffer.from(text, 'base64'));
/** A frame of a sealed export, and the keys at the head of its file. */
const sealed = { keys: bytes(2 * KEY_BYTES), frame: bytes(MAX_FRAME_BYTES) };

/** `content`: the totals of the files, by which they are recognised when they come again, or the keys of a sealed export, in base64. */
const chosen = z.object({
  format: z.enum([...FORMAT_NAMES, 'sealed']),
  file: z.string().min(1).max(200),
  content: z.string().min(1).max(20_000),
});

export const imports = router({
  list: siteProcedure('admin').query(async ({ ctx }) =>
    (await listImports(ctx.directory, ctx.access.site.id)).map(toPublicImport),
  ),
  /** The days that have numbers already. */
  takenDays: siteProcedure('admin').query(({ ctx }) => ctx.importing.takenDays(ctx.access.site.id)),
  /** Refuses what was imported before. A mutation, since contents are too long for an address. */
  check: siteProcedure('admin')
    .input(chosen)
    .mutation(({ ctx, input }) => ctx.importing.check({ siteId: ctx.access.site.id, ...input })),
  begin: siteProcedure('admin')
    .input(chosen)
    .mutation(async ({ ctx, input: { format, file, content } }) => {
      const importer = { actor: 'person', user_id: actorIds(ctx).user_id } as const;
      const begun = { siteId: ctx.access.site.id, format, file, content, importer };
      return toPublicImport(await ctx.importing.begin(begun));
    }),
  add: siteProcedure('admin')
    .input(
      z.object({
        id,
        part: count,
        sums: z.array(sum).max(MAX_PART_ROWS).default([]),
        hits: z.array(hit).max(MAX_PART_ROWS).default([]),
      }),
    )
    .mutation(({ ctx, input: { id, part, ...rows } }) =>
      ctx.importing.add({ siteId: ctx.access.site.id, id, part }, rows),
    ),
  /** The key that another Footfall seals an export for. */
  receivingKey: siteProcedure('admin').query(({ ctx }) =>
    receivingKey(ctx.directory, ctx.access.account.id, ctx.now()),
  ),
  /** What a sealed export holds, by its first frame. A mutation, since frames are too long for an address. */
  openSealed: siteProcedure('admin')
    .input(z.object(sealed))
    .mutation(({ ctx, input: { keys, frame } }) =>
      ctx.importing.openSealed({ siteId: ctx.access.site.id, keys, frame }),
    ),
  addSealed: siteProcedure('admin')
    .input(z.object({ id, part: count, ...sealed }))
    .mutation(({ ctx, input: { id, part, keys, frame } }) =>
      ctx.importing.addSealed({ siteId: ctx.access.site.id, id, part }, { keys, frame }),
    ),
  /** `replaced`: days on which the import counts in place of the site's own events. `keeps_others`: days of other imports stay theirs. `last`: the last frame of a sealed export. */
  finish: siteProcedure('admin')
    .input(
      z.object({
        id,
        replaced: z.array(day).max(10_000).default([]),
        keeps_others: z.boolean().default(false),
        not_taken: z.partialRecord(z.enum(REJECT_REASONS), count).default({}),
        last: z.object(sealed).optional(),
      }),
    )
    .mutation(async ({ ctx, input: { id, replaced, keeps_others: keepsOthers, not_taken, last } }) => {
      const onBegun = noteAs('history_imported', ctx);
      const of = { siteId: ctx.access.site.id, id };
      return toPublicImport(
        await ctx.importing.finish({ ...of, replaced, keepsOthers, notTaken: not_taken, last, onBegun }),
      );
    }),
  remove: siteProcedure('admin')
    .input(z.object({ id }))
    .mutation(({ ctx, input: { id } }) =>
      ctx.importing.remove({ siteId: ctx.access.site.id, id, onBegun: noteAs('import_removed', ctx) }),
    ),
});

type Noting = Context & { access: SiteAccess };

/** Writes the logs before anything counts otherwise, so that they know of what a job finishes. */
function noteAs(action: 'history_imported' | 'import_removed', ctx: Noting) {
  const { site } = ctx.access;
  return ({ id, file }: ListedImport) =>
    recordAction(ctx, action, {
      ids: { ...actorIds(ctx), site_id: site.id, import_id: id },
      name: file,
      domain: site.domain,
    });
}
