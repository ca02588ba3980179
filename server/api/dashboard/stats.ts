// Procedures for the numbers of a site.
import type { Directory } from '../../directory/open.ts';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { goalDefinition } from '../../sites/definitions/goals.ts';
import type { SiteAccess, Viewer } from '../../sites/access.ts';
import {
  askedInWords,
  aiSeriesQuestion,
  breakdownQuestion,
  driverQuestion,
  errorsDetailQuestion,
  errorsQuestion,
  funnelQuestion,
  journeyQuestion,
  propertiesQuestion,
  searchQuestion,
  summaryQuestion,
  timeseriesQuestion,
  trendsQuestion,
  vitalsConversionQuestion,
  vitalsHistogramQuestion,
  vitalsListQuestion,
  vitalsQuestion,
  weekQuestion,
} from '../../stats/query.ts';
import { resolveFunnel } from '../../sites/definitions/funnels.ts';
import { addressOf, panelOf } from '../../vocabulary/asking/address.ts';
import { isSure } from '../../vocabulary/asking/asking.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { periodProblem } from '../../vocabulary/time/periods.ts';
import type { Site } from '../../sites/sites.ts';
import { askInWords } from '../asking.ts';
import { funnelFigures, toFunnel } from '../funnels.ts';
import { withIcons, withProviderIcons } from '../pages/icons.ts';
import { journeyFrom, regroupBy } from '../journeys.ts';
import { namedSegments, withSegments } from './segments.ts';
import { snapshotFor, sourcesNow, speedFor } from '../snapshots.ts';
import { router, siteProcedure } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type Asked = Parameters<typeof withSegments>[1] & Parameters<typeof periodProblem>[0];
type Asking = { directory: Directory; viewer: Viewer; access: SiteAccess; now(): number };

/** Checks that a query fits its period, and adds the filters of the segments that it names. */
export function questionOf<Question extends Asked>({ directory, viewer, access, now }: Asking, asked: Question) {
  checkPeriod(asked, access.site, now());
  return withSegments({ directory, viewer, siteId: access.site.id }, asked);
}

export function checkPeriod(
  asked: Parameters<typeof periodProblem>[0],
  { timezone }: Pick<Site, 'timezone'>,
  now: number,
): void {
  const problem = periodProblem(asked, now, timezone ?? undefined);
  if (problem)
    throw new Refusal('bad_request', t('{field}: {message}.', { field: problem.field, message: problem.message }));
}

const ofFunnel = funnelQuestion.extend({ ...namedSegments, funnel_id: z.string().max(MAX_RECORD_ID) });

export const stats = router({
  summary: siteProcedure('read', { part: 'any' })
    .input(summaryQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.summary(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  timeseries: siteProcedure('read', { part: 'any' })
    .input(timeseriesQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.timeseries(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  breakdown: siteProcedure('read', { part: 'any' })
    .input(breakdownQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => {
      const breakdown = await ctx.stats.breakdown(await questionOf(ctx, input), ctx.access.site, ctx.now());
      return withIcons(ctx, input.dimension, breakdown);
    }),
  /** The steps of a funnel; with `by`, also for each value of a dimension. */
  funnel: siteProcedure('read', { part: 'funnels' })
    .input(ofFunnel)
    .query(async ({ ctx, input: { funnel_id, ...input } }) => {
      const question = await questionOf(ctx, input);
      const { site } = ctx.access;
      const funnel = await resolveFunnel(ctx.directory, { siteId: site.id, id: funnel_id });
      return funnelFigures(ctx.stats, funnel, { question, site, now: ctx.now() });
    }),
  /** For each step of a funnel except the last: where the visitors who left after it went. Slower than the steps. */
  left: siteProcedure('read', { part: 'funnels' })
    .input(ofFunnel)
    .query(async ({ ctx, input: { funnel_id, ...input } }) => {
      const question = await questionOf(ctx, input);
      const { site } = ctx.access;
      const funnel = await resolveFunnel(ctx.directory, { siteId: site.id, id: funnel_id });
      return ctx.stats.left(question, toFunnel(funnel), { site, now: ctx.now() });
    }),
  search: siteProcedure('read', { part: 'any' })
    .input(searchQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.access.site, ctx.now());
      return ctx.stats.search(input, ctx.access.site, ctx.now());
    }),
  /** Understands a question in plain words. Not for viewers of share links. `shown`: the period of a question that names none. */
  ask: siteProcedure('own')
    .input(askedInWords)
    .query(async ({ ctx, input: { q, ...shown } }) => {
      checkPeriod(shown, ctx.access.site, ctx.now());
      const asking = { ...ctx, site: ctx.access.site, now: ctx.now() };
      const { view, parts, sentence } = await askInWords(asking, { q, shown });
      return { address: addressOf(view), panel: panelOf(view), is_sure: isSure(parts), parts, sentence };
    }),
  properties: siteProcedure('read', { part: 'events' })
    .input(propertiesQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.properties(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** The conversions that a goal would have had. The goal need not exist yet. */
  preview: siteProcedure('admin')
    .input(z.object({ definition: goalDefinition }))
    .query(({ ctx, input }) => {
      const question = { site_id: ctx.access.site.id, definition: input.definition };
      return ctx.stats.preview(question, ctx.access.site, ctx.now());
    }),
  currencies: siteProcedure('read', { part: 'revenue' })
    .input(summaryQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.currencies(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** The value that contributed most to a metric's change. */
  driver: siteProcedure('read', { part: 'any' })
    .input(driverQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.driver(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** The values that changed most, of all dimensions that can explain a metric's change. */
  movers: siteProcedure('read', { part: 'any' })
    .input(driverQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.movers(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** A metric over time for the rows of a list that are in view. */
  trends: siteProcedure('read', { part: 'any' })
    .input(trendsQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.trends(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  week: siteProcedure('read', { part: 'week' })
    .input(weekQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.week(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** The shapes of errors on pages. */
  errors: siteProcedure('read', { part: 'pages' })
    .input(errorsQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.errors(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** Where the errors of one shape happened, and when. */
  errorsDetail: siteProcedure('read', { part: 'pages' })
    .input(errorsDetailQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.errorsDetail(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  /** How fast pages felt: web vitals of all measured page views, and over time. */
  vitals: siteProcedure('read', { part: 'pages' })
    .input(vitalsQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.vitals(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  vitalsList: siteProcedure('read', { part: 'pages' })
    .input(vitalsListQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.vitalsList(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  vitalsHistogram: siteProcedure('read', { part: 'pages' })
    .input(vitalsHistogramQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) =>
      ctx.stats.vitalsHistogram(await questionOf(ctx, input), ctx.access.site, ctx.now()),
    ),
  /** Needs the goals of a share link, too. */
  vitalsConversion: siteProcedure('read', { part: 'pages' })
    .input(vitalsConversionQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) =>
      ctx.stats.vitalsConversion(await questionOf(ctx, input), ctx.access.site, ctx.now()),
    ),
  journey: siteProcedure('read', { part: 'journeys' })
    .input(journeyQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => {
      const { site } = ctx.access;
      const question = await questionOf(ctx, input);
      const from = await journeyFrom({ ...ctx, siteId: site.id }, input.start);
      return ctx.stats.journey({ ...question, from, regroup: regroupBy(site) }, site, ctx.now());
    }),
  aiOverTime: siteProcedure('read', { part: 'ai' })
    .input(summaryQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => {
      const answer = await ctx.stats.aiOverTime(await questionOf(ctx, input), ctx.access.site, ctx.now());
      return withProviderIcons(ctx, answer);
    }),
  aiSeries: siteProcedure('read', { part: 'ai' })
    .input(aiSeriesQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.aiSeries(await questionOf(ctx, input), ctx.access.site, ctx.now())),
  reading: siteProcedure('read', { part: 'pages' })
    .input(summaryQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => ctx.stats.reading(await questionOf(ctx, input), ctx.access.site, ctx.now())),
});

export const live = router({
  snapshot: siteProcedure('read', { part: 'live' }).query(({ ctx }) => snapshotFor(ctx)),
  /** How fast pages felt in the last thirty minutes. */
  speed: siteProcedure('read', { part: 'live' }).query(({ ctx }) => speedFor(ctx)),
  /** Returns the icon addresses of the current visitors' sources. */
  icons: siteProcedure('read', { part: 'live' }).query(async ({ ctx }) => {
    const sources = await sourcesNow(ctx);
    return sources.map(({ source }) => ({ source, icon: ctx.favicons.ofRow('source', source) }));
  }),
});
