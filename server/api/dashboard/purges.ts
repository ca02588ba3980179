// Procedures for purges: take what filters show out of all numbers, and put it back.
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import type { SiteAccess } from '../../sites/access.ts';
import { listPurges, type Purge } from '../../sites/purges.ts';
import { summaryQuestion } from '../../stats/query.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { PURGE_KEPT_DAYS } from '../../vocabulary/settings/purges.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { namedSegments } from './segments.ts';
import { questionOf } from './stats.ts';
import { type Context, router, siteProcedure, whoseOf } from '../trpc.ts';

const shown = summaryQuestion.extend({ segment: namedSegments.segment });

/** `undo_until`: ISO 8601. `is_moving`: its rows are being taken out or put back. */
function toPublicPurge({ id, name, first_day, last_day, state, counts, created_at }: Purge) {
  return {
    id,
    name,
    first_day,
    last_day,
    counts,
    is_moving: state !== 'taken',
    created_at: new Date(created_at).toISOString(),
    undo_until: new Date(created_at + PURGE_KEPT_DAYS * DAY_MS).toISOString(),
  };
}

export const purges = router({
  list: siteProcedure('admin').query(async ({ ctx }) =>
    (await listPurges(ctx.directory, ctx.access.site.id)).map(toPublicPurge),
  ),
  /** How much a purge would take. */
  preview: siteProcedure('admin')
    .input(shown)
    .query(async ({ ctx, input }) => {
      const { counts } = await ctx.stats.purgeable(await questionOf(ctx, input), ctx.access.site, ctx.now());
      return counts;
    }),
  create: siteProcedure('admin')
    .input(shown.extend({ name: z.string().max(200) }))
    .mutation(async ({ ctx, input: { name, ...input } }) => {
      const { site } = ctx.access;
      const question = await questionOf(ctx, input);
      const rows = await ctx.stats.purgeable(question, site, ctx.now());
      const definition = { filters: question.filters };
      const onBegun = noteAs('visits_purged', ctx);
      return toPublicPurge(await ctx.purging.purge({ siteId: site.id, name, definition, rows, onBegun }));
    }),
  undo: siteProcedure('admin')
    .input(z.object({ id: z.string().max(MAX_RECORD_ID) }))
    .mutation(({ ctx, input: { id } }) =>
      ctx.purging.undo({ siteId: ctx.access.site.id, id, onBegun: noteAs('purge_undone', ctx) }),
    ),
});

type Noting = Context & { access: SiteAccess };

/** Writes the logs before anything moves, so that they know of a purge that a job finishes. */
function noteAs(action: 'visits_purged' | 'purge_undone', ctx: Noting) {
  const { site } = ctx.access;
  return ({ id, name }: Purge) =>
    recordAction(ctx, action, {
      ids: { ...whoseOf(ctx), site_id: site.id, purge_id: id },
      name,
      domain: site.domain,
    });
}
