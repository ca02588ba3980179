// A condition as it is edited: every field of every kind, so that changing the kind and back loses nothing.
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import {
  GOAL_FIELDS,
  GOAL_KINDS,
  type GoalDefinition,
  type GoalField,
  goalKind,
  type GoalKind,
} from '../../../server/vocabulary/questions/goals.ts';
import { listedMetric } from '../../../server/vocabulary/numbers/metrics.ts';

type Pair = { key: string; value: string };
/** Texts and numbers are those of form fields; pairs are the field `props`. */
export type Draft = { kind: GoalKind; props: Pair[] } & Record<Exclude<GoalField, 'props'>, string | number>;

const blankOf = (name: GoalField) => {
  const row = GOAL_FIELDS[name];
  if (row.type === 'number') return row.usual;
  return row.type === 'pairs' ? [] : '';
};

export function newDraft(kind: GoalKind): Draft {
  const names = Object.keys(GOAL_FIELDS) as GoalField[];
  return { kind, ...Object.fromEntries(names.map((name) => [name, blankOf(name)])) } as Draft;
}

export function draftOf(goal: GoalDefinition): Draft {
  const props = Object.entries('props' in goal ? goal.props : {}).map(([key, value]) => ({ key, value }));
  return { ...newDraft(goal.kind), ...goal, props };
}

/** Pairs without a name are left out. */
export function definitionOf(draft: Draft): GoalDefinition {
  const named = draft.props.filter(({ key }) => key.trim() !== '');
  const valueOf = (name: GoalField) => {
    if (name === 'props') return Object.fromEntries(named.map(({ key, value }) => [key.trim(), value.trim()]));
    return GOAL_FIELDS[name].type === 'number' ? Number(draft[name]) : String(draft[name]).trim();
  };
  const fields = goalKind(draft.kind).fields.map((name) => [name, valueOf(name)]);
  return { kind: draft.kind, ...Object.fromEntries(fields) } as GoalDefinition;
}

const fieldsOf = (kind: GoalKind) => goalKind(kind).fields.map((name) => ({ name, ...GOAL_FIELDS[name] }));

/** What a form says while a text is missing or does not begin as it must. */
export function missingIn(draft: Draft): string | undefined {
  for (const row of fieldsOf(draft.kind)) {
    const typed = String(draft[row.name]).trim();
    if (row.type === 'text' && (typed === '' || !typed.startsWith(row.begins))) return row.missing;
  }
  return undefined;
}

/** The dimensions whose values the fields of a kind offer, and those of all kinds. */
export const offeredBy = (kind: GoalKind): Dimension[] =>
  fieldsOf(kind).flatMap((row) => (row.type === 'text' ? row.known : []));
export const OFFERED = [...new Set(GOAL_KINDS.flatMap(offeredBy))];

export const listOf = (dimension: Dimension) => ({
  dimension,
  metrics: [dimension === 'page' ? ('pageviews' as const) : listedMetric(dimension)],
  per_page: 50,
});
