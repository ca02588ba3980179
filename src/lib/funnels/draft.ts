// A step as it is edited: every field of every kind, so that changing the kind and back loses nothing.
import { type FunnelStep, GOAL_FIELDS, type GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';

export type StepKind = GoalDefinition['kind'] | 'goal';
export type StepDraft = {
  /** Stays the same when steps are reordered. */
  key: number;
  kind: StepKind;
  goal: string;
  page: string;
  event: string;
  props: { key: string; value: string }[];
  scroll: number;
  seconds: number;
  /** The name of the deleted goal that this step used to be. */
  deletedGoal: string | undefined;
};

const BLANK = { goal: '', page: '', event: '', scroll: 50, seconds: 30, deletedGoal: undefined };

let serial = 0;

export const newStep = (kind: StepKind = 'page'): StepDraft => ({ ...BLANK, props: [], kind, key: (serial += 1) });

export function draftOf(step: FunnelStep): StepDraft {
  if ('goal' in step) return { ...newStep('goal'), goal: step.goal };
  const { deleted_goal: deletedGoal, ...condition } = step;
  const props = condition.kind === 'event' ? Object.entries(condition.props) : [];
  return {
    ...newStep(condition.kind),
    ...condition,
    props: props.map(([key, value]) => ({ key, value })),
    deletedGoal,
  };
}

export function stepOf({ kind, goal, props, ...others }: StepDraft): FunnelStep {
  if (kind === 'goal') return { goal };
  const named = props.filter(({ key }) => key.trim() !== '');
  const values = { ...others, props: Object.fromEntries(named.map(({ key, value }) => [key, value])) };
  const fields = GOAL_FIELDS[kind].map((name) => [name, values[name as keyof typeof values]]);
  return { kind, ...Object.fromEntries(fields) } as GoalDefinition;
}

/** True when the step's own fields are filled in. The server checks the rest. */
export function isFilled({ kind, goal, page, event }: StepDraft): boolean {
  if (kind === 'goal') return goal !== '';
  return kind === 'event' ? event.trim() !== '' : page.trim() !== '';
}
