// Funnels of a site: steps that visitors take one after another. Each step is a goal of the site or a condition of the funnel's own.
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { MAX_RECORD_ID } from '../vocabulary/limits.ts';
import {
  FUNNEL_ORDERS,
  FUNNEL_SCOPES,
  type FunnelDefinition,
  type FunnelStep,
  MAX_FUNNELS,
  MAX_STEPS,
  MIN_STEPS,
} from '../vocabulary/goals.ts';
import { definitionsOf } from './definitions.ts';
import { condition, goalDefinition } from './goals.ts';

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const STEPS = `must be a list of ${MIN_STEPS} to ${MAX_STEPS} steps`;
const goalStep = z.strictObject({ goal: z.string('must be the id of a goal').max(MAX_RECORD_ID) });

/** A union would only say that a step is wrong, and not why. */
const stepOf = (own: z.ZodType<FunnelStep>) =>
  z.unknown().transform((sent, context): FunnelStep => {
    const schema: z.ZodType<FunnelStep> = sent instanceof Object && 'goal' in sent ? goalStep : own;
    const { data, error } = schema.safeParse(sent);
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
    return data ?? z.NEVER;
  });

const definition = (own: z.ZodType<FunnelStep>): z.ZodType<FunnelDefinition> =>
  z.strictObject({
    steps: z.array(stepOf(own), STEPS).min(MIN_STEPS, STEPS).max(MAX_STEPS, STEPS),
    within: oneOf(FUNNEL_SCOPES).default('visit'),
    order: oneOf(FUNNEL_ORDERS).default('any_between'),
  });

/** As the API receives it. */
export const funnelDefinition = definition(goalDefinition);

export const funnels = definitionsOf<FunnelDefinition>({
  table: 'funnels',
  noun: 'funnel',
  limit: MAX_FUNNELS,
  schema: definition(condition({ deleted_goal: z.string().optional() })),
  check: async (db, { siteId }, { steps }) => {
    const own = await db.selectFrom('goals').select('id').where('site_id', '=', siteId).execute();
    const ids = new Set(own.map(({ id }) => id));
    const missing = steps.findIndex((one) => 'goal' in one && !ids.has(one.goal));
    if (missing >= 0)
      throw new Refusal(
        'bad_request',
        `steps.${missing}.goal: must be the id of a goal of this site, as the list of goals tells it.`,
      );
  },
});
