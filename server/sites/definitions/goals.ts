// Goals of a site. A goal stores no numbers: they are counted over all past events on each query.
import { z } from 'zod';
import { ENGAGEMENT, PAGEVIEW, type SiteId } from '../../vocabulary/event.ts';
import {
  type FunnelDefinition,
  GOAL_FIELDS,
  GOAL_KINDS,
  type GoalDefinition,
  type GoalField,
  goalKind,
  MAX_CONDITIONS,
} from '../../vocabulary/questions/goals.ts';
import { MAX_GOALS, MAX_KEY, MAX_NAME, MAX_VALUE } from '../../vocabulary/limits.ts';
import { cleanText, readablePath } from '../../vocabulary/texts/spelling.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { countingAnew } from './counted-alerts.ts';
import { type Db, definitionsOf, type Named } from './definitions.ts';
import { keepInSegments } from './segments.ts';
import { writtenPattern } from './written-pattern.ts';

function text(most: number) {
  const rule = { error: () => t('must be text of 1 to {most} characters', { most }) };
  return z
    .string(rule)
    .max(most, rule)
    .transform((sent) => cleanText(sent, most)) // cleaned as stored events are
    .refine((clean) => clean !== '', rule);
}

const event = text(MAX_NAME).refine((name) => name !== PAGEVIEW && name !== ENGAGEMENT, {
  error: () => t('must be a custom event; for page views, use a goal of kind "page"'),
});

const props = z
  .record(
    text(MAX_KEY),
    z
      .string()
      .max(MAX_VALUE)
      .transform((sent) => cleanText(sent, MAX_VALUE)),
  )
  .refine((conditions) => Object.keys(conditions).length <= MAX_CONDITIONS, {
    error: () => t('must have at most {most} conditions', { most: MAX_CONDITIONS }),
  });

/** A path or a pattern, spelled as counted pages are. */
export const pagePattern = writtenPattern.transform((pattern) => pattern.split(/(\*+)/).map(readablePart).join(''));

function readablePart(part: string): string {
  return part === '' || part.startsWith('*') ? part : readablePath(part);
}

const wholeNumber = (most: number) => {
  const rule = { error: () => t('must be a whole number from 1 to {most}', { most }) };
  return z.int(rule).min(1, rule).max(most, rule);
};

/** Texts with a rule of their own. */
const RULES: Partial<Record<GoalField, z.ZodType>> = { event, page: pagePattern };

function ruleOf(name: GoalField): z.ZodType {
  const row = GOAL_FIELDS[name];
  if (row.type === 'pairs') return props.default({});
  return row.type === 'number' ? wholeNumber(row.most) : (RULES[name] ?? text(row.most));
}

/** A schema for the conditions of each kind, with further fields. */
export const conditionsOf = (schemaOf: (field: GoalField) => z.ZodType, more: z.ZodRawShape) =>
  GOAL_KINDS.map((kind) => {
    const fields = goalKind(kind).fields.map((name) => [name, schemaOf(name)] as const);
    return z.strictObject({ ...more, kind: z.literal(kind), ...Object.fromEntries(fields) });
  }) as unknown as [z.ZodObject, ...z.ZodObject[]];

export function condition(more: z.ZodRawShape): z.ZodType<GoalDefinition> {
  const rule = `must be one of ${GOAL_KINDS.join(', ')}`;
  return z.discriminatedUnion('kind', conditionsOf(ruleOf, more), rule) as unknown as z.ZodType<GoalDefinition>;
}

export const goalDefinition = condition({});

export type Goal = Named<GoalDefinition>;

export const goals = definitionsOf<GoalDefinition>({
  table: 'goals',
  noun: 'goal',
  limit: MAX_GOALS,
  schema: goalDefinition,
  onChange: countAnew,
  onDelete: keepConditions,
});

/** Alerts about a changed goal count from now on: their count of before is of other events. */
async function countAnew(db: Db, goalId: string, now: number): Promise<void> {
  await db
    .updateTable('alerts')
    .set(countingAnew(now))
    .where('kind', '=', 'goal')
    .where('definition', 'like', `%${goalId}%`)
    .execute();
}

/** Funnels and segments with a deleted goal keep counting: they take over its condition, and remember which goal it was. */
async function keepConditions(db: Db, site: { siteId: SiteId }, deleted: Goal): Promise<void> {
  await keepInFunnels(db, site, deleted);
  await keepInSegments(db, site, deleted);
}

async function keepInFunnels(db: Db, { siteId }: { siteId: SiteId }, deleted: Goal): Promise<void> {
  const { id, name, created_at: _, ...condition } = deleted;
  const rows = await db.selectFrom('funnels').select(['id', 'definition']).where('site_id', '=', siteId).execute();
  for (const row of rows) {
    const funnel = JSON.parse(row.definition) as FunnelDefinition;
    if (!funnel.steps.some((step) => 'goal' in step && step.goal === id)) continue;
    const steps = funnel.steps.map((step) =>
      'goal' in step && step.goal === id ? { ...condition, deleted_goal: name } : step,
    );
    const definition = JSON.stringify({ ...funnel, steps });
    await db.updateTable('funnels').set({ definition }).where('id', '=', row.id).execute();
  }
}
