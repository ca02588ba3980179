// Procedures for segments. Also replaces the segments that a query names with their filters.
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { checkGranted, type SiteAccess, type Viewer } from '../../sites/access.ts';
import {
  changeSegment,
  createSegment,
  deleteSegment,
  findSegment,
  listSegments,
  type Segment,
} from '../../sites/definitions/segments.ts';
import { type Filter, plainFilter } from '../../stats/query.ts';
import { MAX_FILTERS, MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { isProperty } from '../../vocabulary/questions/dimensions.ts';
import { hasPropertyConditions } from '../../vocabulary/questions/goals.ts';
import { ALL_VISITORS, type PlainFilter, SEGMENT, sourceOfFilter } from '../../vocabulary/questions/segments.ts';
import { partOfDimension, showsPart } from '../../vocabulary/settings/share-links.ts';
import { router, siteProcedure } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const id = z.string().max(MAX_RECORD_ID);
const name = z.string().max(200);
const filters = z
  .array(
    plainFilter.refine(({ dimension }) => sourceOfFilter(dimension) === 'events', {
      error: () => t('must be a filter on visitors: segments do not contain AI visits'),
    }),
  )
  .min(1)
  .max(MAX_FILTERS);

/** The segments that a query may name besides its filters. */
export const namedSegments = {
  /** Its filters are added to those of the query. */
  segment: id.optional(),
  /** Compares with another segment, or with all visitors, instead of another period. The query's own filters stay. */
  versus: id.optional(),
};

/** Each segment in a filter makes the query longer by all of the segment's filters. */
const MAX_NAMED = 10;

type Named = { filters: Filter[]; segment?: string | undefined; versus?: string | undefined };
type Caller = { directory: Directory; viewer: Viewer; siteId: SiteId };

const userOf = (viewer: Viewer) => (viewer.kind === 'user' ? viewer.userId : undefined);

/**
 * A share link that hides properties, or a part of the dashboard, also hides segments with a filter on these, since their names and numbers would
 * reveal something about them.
 */
export async function usableSegments({ directory, viewer, siteId }: Caller): Promise<Segment[]> {
  const found = await listSegments(directory, { siteId, userId: userOf(viewer) });
  if (viewer.kind !== 'share') return found;
  const { rules, shows } = viewer;
  const all = found.filter((one) => one.filters.every(({ dimension }) => showsPart(rules, partOfDimension(dimension))));
  if (shows.properties) return all;
  return all
    .filter((one) => !one.filters.some(({ dimension }) => isProperty(dimension)))
    .map((one) => ({ ...one, filters: one.filters.map(withoutPropertyGoals) }));
}

/** These viewers do not see deleted goals with property conditions, just as they do not see existing ones. */
const withoutPropertyGoals = ({ deleted_goals, ...filter }: PlainFilter): PlainFilter => ({
  ...filter,
  ...(deleted_goals && { deleted_goals: deleted_goals.filter((goal) => !hasPropertyConditions(goal)) }),
});

/** Replaces segment ids with the filters of the segments. Throws not_found for a segment that the caller may not use. */
export async function withSegments<Question extends Named>(
  caller: Caller,
  { segment, versus, ...question }: Question,
): Promise<Omit<Question, keyof typeof namedSegments> & { versus?: Filter[] }> {
  const inFilters = question.filters.filter(isOfSegment).flatMap(({ values }) => values);
  if (segment === undefined && versus === undefined && inFilters.length === 0) return question;
  if (inFilters.length > MAX_NAMED)
    throw new Refusal('bad_request', t('filters: at most {MAX_NAMED} segments are allowed in filters.', { MAX_NAMED }));
  const usable = await usableSegments(caller);
  const filtersOf = (which: string) => findSegment(usable, which).filters;
  const further = question.filters.map((filter) =>
    isOfSegment(filter) ? { ...filter, segments: filter.values.map(filtersOf) } : filter,
  );
  return {
    ...question,
    filters: [...(segment === undefined ? [] : filtersOf(segment)), ...further],
    ...(versus !== undefined && { versus: [...(versus === ALL_VISITORS ? [] : filtersOf(versus)), ...further] }),
  };
}

const isOfSegment = (filter: Filter) => filter.dimension === SEGMENT;

/** Returns the owner of a segment: null for a shared one. */
const ownerOf = (segment: Pick<Segment, 'is_personal'>, viewer: Viewer) =>
  segment.is_personal ? (userOf(viewer) ?? null) : null;

/** Returns a segment that the caller may change. Throws not_found, and forbidden for a shared segment that they may only use. */
async function changeable({ access, ...caller }: Omit<Caller, 'siteId'> & { access: SiteAccess }, which: string) {
  const siteId = access.site.id;
  const segment = findSegment(await usableSegments({ ...caller, siteId }), which);
  if (!segment.is_personal) checkGranted(caller.viewer, access.role, 'admin');
  return { siteId, segment, owner: ownerOf(segment, caller.viewer) };
}

export const segments = router({
  list: siteProcedure('read', { part: 'any' }).query(({ ctx }) =>
    usableSegments({ directory: ctx.directory, viewer: ctx.viewer, siteId: ctx.access.site.id }),
  ),
  create: siteProcedure('own')
    .input(z.object({ name, filters, is_personal: z.boolean().default(true) }))
    .mutation(({ ctx, input }) => {
      if (!input.is_personal) checkGranted(ctx.viewer, ctx.access.role, 'admin');
      return createSegment(
        ctx.directory,
        { siteId: ctx.access.site.id, owner: ownerOf(input, ctx.viewer), name: input.name, filters: input.filters },
        ctx.now(),
      );
    }),
  change: siteProcedure('own')
    .input(z.object({ id, name: name.optional(), filters: filters.optional() }))
    .mutation(async ({ ctx, input }) =>
      changeSegment(ctx.directory, {
        ...(await changeable(ctx, input.id)),
        ...(input.name !== undefined && { name: input.name }),
        ...(input.filters && { filters: input.filters }),
      }),
    ),
  delete: siteProcedure('own')
    .input(z.object({ id }))
    .mutation(async ({ ctx, input }) => {
      const { segment } = await changeable(ctx, input.id);
      await deleteSegment(ctx.directory, segment);
    }),
});
