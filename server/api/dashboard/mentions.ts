// Procedures for mentions. People who log in read what was found; only those who may change the site see the rules and mute. Share links show
// nothing of it: the words that are searched can be private.
import { z } from 'zod';
import { readReferrer } from '../../collect/sources/referrer.ts';
import { mentionRules, readRules, listRuns, saveRules } from '../../integrations/mentions/rules.ts';
import { listMentions, type Mention, muteMention } from '../../integrations/mentions/stored.ts';
import { isLimited } from '../../stats/disclosure/rule.ts';
import { summaryQuestion } from '../../stats/query.ts';
import { MAX_FILTER_VALUES, MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { placeRow } from '../../vocabulary/settings/mentions.ts';
import { isRolling } from '../../vocabulary/time/periods.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { checkPeriod } from './stats.ts';
import { router, siteProcedure } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';

/** Mentions on the dashboard. A filter can name as many referrers. */
const SHOWN = MAX_FILTER_VALUES;

export const mentions = router({
  /**
   * With the visits of the period that came from each thread, and from all of its place, whatever the filters. Null for members who see no small
   * numbers, if the period rolls: narrowed numbers are those of whole days.
   */
  list: siteProcedure('own')
    .input(summaryQuestion.pick({ site_id: true, period: true, date_from: true, date_to: true }))
    .query(async ({ ctx, input }) => {
      const { site } = ctx.access;
      const now = ctx.now();
      checkPeriod({ ...input, compare: 'none' }, site, now);
      const isHidden = isRolling(input.period) && isLimited(ruleFor(ctx.viewer, ctx.access));
      const own = { siteId: site.id };
      const [rules, found] = await Promise.all([
        readRules(ctx.directory, own),
        listMentions(ctx.directory, { ...own, last: SHOWN }),
      ]);
      const read = found.map((mention) => ({ mention, from: originOf(mention.url) }));
      const [referrers, sources] = await Promise.all([
        visitsBy(
          'referrer',
          read.map(({ from }) => from?.referrer),
        ),
        visitsBy(
          'source',
          read.map(({ from }) => from?.source),
        ),
      ]);
      return {
        is_on: rules.places.length > 0,
        mentions: read.map(({ mention, from }) => ({
          ...mention,
          day: dayIn(site.timezone ?? UTC, mention.posted_at),
          visits: referrers && (referrers.get(from?.referrer) ?? 0),
          /** Many places tell only their host, so the visits from all of the place are more than those of the thread. */
          source: from?.source ?? null,
          source_visits: sources && (sources.get(from?.source) ?? 0),
        })),
      };

      async function visitsBy(dimension: 'referrer' | 'source', names: (string | undefined)[]) {
        if (isHidden) return null;
        const values = [...new Set(names.filter((name) => name !== undefined))];
        if (values.length === 0) return new Map<string | undefined, number>();
        const filters = [{ dimension, operator: 'is' as const, values }];
        const asked = { ...input, compare: 'none' as const, filters, dimension, metrics: ['visits' as const] };
        const { rows } = await ctx.stats.list({ ...asked, page: 1, per_page: SHOWN }, site, now);
        return new Map<string | undefined, number>(rows.map(({ name, values }) => [name, values.visits ?? 0]));
      }
    }),
  /** For the chart: threads that are not muted, latest first. */
  marks: siteProcedure('own').query(async ({ ctx }) => {
    const found = await listMentions(ctx.directory, { siteId: ctx.access.site.id, last: SHOWN });
    return found.filter(({ is_muted }) => !is_muted).map(toMark);
  }),
  /** The rules, and how each search went. */
  settings: siteProcedure('admin').query(async ({ ctx }) => {
    const own = { siteId: ctx.access.site.id };
    const [rules, runs] = await Promise.all([readRules(ctx.directory, own), listRuns(ctx.directory, own)]);
    return { rules, runs };
  }),
  save: siteProcedure('admin')
    .input(z.object({ rules: mentionRules }))
    .mutation(({ ctx, input: { rules } }) =>
      saveRules(ctx.directory, { siteId: ctx.access.site.id, rules }, ctx.now()),
    ),
  mute: siteProcedure('admin')
    .input(z.object({ id: z.string().max(MAX_RECORD_ID), is_muted: z.boolean() }))
    .mutation(({ ctx, input: { id, is_muted: isMuted } }) =>
      muteMention(ctx.directory, { siteId: ctx.access.site.id, id, isMuted }),
    ),
});

/** Returns the referrer and the source of visits from a thread. Referrers have no query, so a thread with one has no referrer of its own. */
export function originOf(url: string): { referrer: string | undefined; source: string } | undefined {
  const from = readReferrer(url, () => false);
  const { pathname, search } = new URL(url);
  return from && { referrer: pathname !== '/' && search === '' ? from.referrer : undefined, source: from.source };
}

const toMark = ({ id, place, title, posted_at }: Mention) => ({
  id,
  time: posted_at,
  text: `${placeRow(place).label}: ${title}`,
});
