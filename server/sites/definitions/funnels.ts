// Funnels of a site: steps that visitors take one after another. Each step is a goal of the site, or a condition that belongs to the
// funnel.
import { z } from 'zod';
import type { Directory } from '../../directory/open.ts';
import { isId } from '../../directory/ids.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { MAX_RECORD_ID, MAX_STEPS } from '../../vocabulary/limits.ts';
import {
  FUNNEL_ORDERS,
  FUNNEL_SCOPES,
  describeCondition,
  type FunnelDefinition,
  type FunnelStep,
  MAX_FUNNELS,
  MIN_STEPS,
  type ResolvedStep,
} from '../../vocabulary/questions/goals.ts';
import { definitionsOf, type Named } from './definitions.ts';
import { condition, type Goal, goalDefinition, goals } from './goals.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const STEPS = {
  error: () => t('must be a list of {least} to {most} steps', { least: MIN_STEPS, most: MAX_STEPS }),
};
const goalStep = z.strictObject({ goal: z.string('must be the id of a goal').max(MAX_RECORD_ID) });

/** A union would only say that a step is wrong, not why. */
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

/** The definition as the API receives it. */
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
        t('steps.{missing}.goal: must be the id of a goal of this site, as in the list of goals.', { missing }),
      );
  },
});

export type ResolvedFunnel = Named<FunnelDefinition> & { resolved: ResolvedStep[] };

/** Returns a funnel with the names and conditions of its steps. Throws not_found. */
export async function resolveFunnel(
  directory: Pick<Directory, 'db'>,
  input: { siteId: SiteId; id: string },
): Promise<ResolvedFunnel> {
  const [funnel] = await readResolved(directory, input, async () => [await funnels.get(directory, input)]);
  if (!funnel) throw new Error('One funnel was read.');
  return funnel;
}

/** All funnels of a site, with the names and conditions of their steps. */
export async function listResolved(
  directory: Pick<Directory, 'db'>,
  input: { siteId: SiteId },
): Promise<ResolvedFunnel[]> {
  return readResolved(directory, input, () => funnels.list(directory, input));
}

const MOST_READS = 5;

/**
 * Deleting a goal writes its condition into the funnels, in the same transaction: see `keepInFunnels`. A funnel that was read just before
 * still names the goal, so it is read again.
 */
async function readResolved(
  directory: Pick<Directory, 'db'>,
  { siteId }: { siteId: SiteId },
  read: () => Promise<Named<FunnelDefinition>[]>,
): Promise<ResolvedFunnel[]> {
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const all = await read();
    const ofSite = new Map((await goals.list(directory, { siteId })).map((goal) => [goal.id, goal]));
    const isKnown = (step: FunnelStep) => !('goal' in step) || ofSite.has(step.goal);
    if (all.every(({ steps }) => steps.every(isKnown))) return all.map((funnel) => resolve(funnel, ofSite));
  }
  throw new Error(`A funnel of the site ${siteId} lacks one of its goals.`);
}

function resolve(funnel: Named<FunnelDefinition>, ofSite: ReadonlyMap<string, Goal>): ResolvedFunnel {
  const resolved = funnel.steps.map((step): ResolvedStep => {
    if (!('goal' in step)) {
      const { deleted_goal, ...condition } = step;
      return { name: deleted_goal ?? describeCondition(condition, 'short'), step, condition };
    }
    const goal = ofSite.get(step.goal);
    if (!goal) throw new Error(`The funnel ${funnel.id} lacks the goal ${step.goal}.`);
    const { id: _id, name, created_at: _at, ...condition } = goal;
    return { name, step, condition };
  });
  return { ...funnel, resolved };
}

/** Returns the site of a funnel of the account. Throws not_found, the same for another account's funnel as for an unknown one. */
export async function siteOfFunnel(
  { db }: Pick<Directory, 'db'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<SiteId> {
  const row = isId('funnel', id)
    ? await db
        .selectFrom('funnels')
        .innerJoin('sites', 'sites.id', 'funnels.site_id')
        .select('sites.id')
        .where('funnels.id', '=', id)
        .where('sites.account_id', '=', accountId)
        .executeTakeFirst()
    : undefined;
  if (!row) throw new Refusal('not_found', t('There is no such funnel in this account.'));
  return row.id as SiteId;
}
