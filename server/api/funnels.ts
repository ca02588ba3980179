// The figures of a site's funnel, for the dashboard and the API.
import { toPublicDefinition } from '../sites/definitions/definitions.ts';
import type { ResolvedFunnel } from '../sites/definitions/funnels.ts';
import type { Funnel } from '../stats/funnels/funnel-sql.ts';
import type { FunnelQuestion } from '../stats/query.ts';
import type { Stats } from '../stats/run.ts';
import type { Asked } from '../stats/answers/values.ts';

export function toFunnel({ resolved, within, order }: ResolvedFunnel): Funnel {
  return { steps: resolved.map(({ condition }) => condition), within, order };
}

/** Returns the figures, with the name and the definition of each step. */
export async function funnelFigures(stats: Stats, funnel: ResolvedFunnel, asked: Asked<FunnelQuestion>) {
  const { question, ...rest } = asked;
  const { steps, ...figures } = await stats.funnel(question, toFunnel(funnel), rest);
  const { resolved, ...definition } = funnel;
  return {
    ...toPublicDefinition(definition),
    ...figures,
    steps: steps.map((step, index) => ({ name: resolved[index]?.name ?? '', ...definition.steps[index], ...step })),
  };
}
