// Procedures for goals and for funnels: the same set for each.
import { z } from 'zod';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Viewer } from '../../sites/access.ts';
import type { Definitions } from '../../sites/definitions/definitions.ts';
import { funnelDefinition, funnels as siteFunnels } from '../../sites/definitions/funnels.ts';
import { goalDefinition, goals as siteGoals } from '../../sites/definitions/goals.ts';
import { router, siteProcedure } from '../trpc.ts';
import { type FunnelStep, type GoalDefinition, hasPropertyConditions } from '../../vocabulary/questions/goals.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';

const id = z.string().max(MAX_RECORD_ID);
const name = z.string().max(200);
const place = z.int().min(0).max(1000);

const proceduresOf = <Definition extends object>(
  own: Definitions<Definition>,
  { definition, part }: { definition: z.ZodType<Definition>; part: 'goals' | 'funnels' },
) =>
  router({
    list: siteProcedure('read', { part }).query(({ ctx }) =>
      usableDefinitions(own, { directory: ctx.directory, viewer: ctx.viewer, siteId: ctx.access.site.id }),
    ),
    create: siteProcedure('admin')
      .input(z.object({ name, definition }))
      .mutation(({ ctx, input }) =>
        own.create(
          ctx.directory,
          { siteId: ctx.access.site.id, name: input.name, definition: input.definition },
          ctx.now(),
        ),
      ),
    update: siteProcedure('admin')
      .input(z.object({ id, name, definition }))
      .mutation(({ ctx, input }) =>
        own.update(
          ctx.directory,
          {
            siteId: ctx.access.site.id,
            id: input.id,
            name: input.name,
            definition: input.definition,
          },
          ctx.now(),
        ),
      ),
    rename: siteProcedure('admin')
      .input(z.object({ id, name }))
      .mutation(({ ctx, input }) =>
        own.rename(ctx.directory, { siteId: ctx.access.site.id, id: input.id, name: input.name }),
      ),
    move: siteProcedure('admin')
      .input(z.object({ id, to: place }))
      .mutation(({ ctx, input }) =>
        own.move(ctx.directory, { siteId: ctx.access.site.id, id: input.id, to: input.to }),
      ),
    delete: siteProcedure('admin')
      .input(z.object({ id }))
      .mutation(({ ctx, input }) => own.delete(ctx.directory, { siteId: ctx.access.site.id, id: input.id })),
  });

type Caller = { directory: Directory; viewer: Viewer; siteId: SiteId };

/** A share link that hides properties also hides goals and funnels with conditions on them. */
async function usableDefinitions<Definition>(own: Definitions<Definition>, { directory, viewer, siteId }: Caller) {
  const all = await own.list(directory, { siteId });
  return viewer.kind === 'share' && !viewer.shows.properties ? all.filter(hasNoPropertyConditions) : all;
}

export const usableGoals = (caller: Caller) => usableDefinitions(siteGoals, caller);

function hasNoPropertyConditions(defined: object): boolean {
  const conditions = 'steps' in defined ? (defined.steps as FunnelStep[]) : [defined as GoalDefinition];
  return !conditions.some((one) => 'kind' in one && hasPropertyConditions(one));
}

export const goals = proceduresOf(siteGoals, { definition: goalDefinition, part: 'goals' });
export const funnels = proceduresOf(siteFunnels, { definition: funnelDefinition, part: 'funnels' });
