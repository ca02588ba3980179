// Procedures for the numbers of a site.
import { Refusal } from '../errors.ts';
import { breakdownQuestion, searchQuestion, summaryQuestion, timeseriesQuestion } from '../stats/query.ts';
import { periodProblem } from '../vocabulary/periods.ts';
import { router, siteProcedure } from './trpc.ts';

function checkPeriod(asked: Parameters<typeof periodProblem>[0], now: number): void {
  const problem = periodProblem(asked, now);
  if (problem) throw new Refusal('bad_request', `${problem.field}: ${problem.message}.`);
}

export const stats = router({
  summary: siteProcedure('read')
    .input(summaryQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.summary(input, ctx.access.site, ctx.now());
    }),
  timeseries: siteProcedure('read')
    .input(timeseriesQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.timeseries(input, ctx.access.site, ctx.now());
    }),
  breakdown: siteProcedure('read')
    .input(breakdownQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.breakdown(input, ctx.access.site, ctx.now());
    }),
  search: siteProcedure('read')
    .input(searchQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.search(input, ctx.now());
    }),
  properties: siteProcedure('read')
    .input(summaryQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.properties(input, ctx.access.site, ctx.now());
    }),
  currencies: siteProcedure('read')
    .input(summaryQuestion)
    .query(({ ctx, input }) => {
      checkPeriod(input, ctx.now());
      return ctx.stats.currencies(input, ctx.access.site, ctx.now());
    }),
});

export const live = router({
  snapshot: siteProcedure('read').query(({ ctx }) => ctx.windows.snapshot(ctx.access.site.id, ctx.now())),
});
