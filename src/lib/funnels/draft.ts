// A step as it is edited: a goal of the site, or a condition of its own.
import { type FunnelStep, goalKind } from '../../../server/vocabulary/questions/goals.ts';
import { definitionOf, draftOf as conditionDraft, type Draft, newDraft } from '../goals/draft';

export type StepKind = Draft['kind'] | 'goal';
export type StepDraft = Omit<Draft, 'kind'> & {
  /** Stays the same when steps are reordered. */
  key: number;
  kind: StepKind;
  goal: string;
  /** The name of the deleted goal that this step used to be. */
  deletedGoal: string | undefined;
};

let serial = 0;

export const newStep = (kind: StepKind = 'page'): StepDraft => ({
  ...newDraft('page'),
  scroll: 50,
  kind,
  key: (serial += 1),
  goal: '',
  deletedGoal: undefined,
});

export function draftOf(step: FunnelStep): StepDraft {
  if ('goal' in step) return { ...newStep('goal'), goal: step.goal };
  const { deleted_goal: deletedGoal, ...condition } = step;
  return { ...newStep(), ...conditionDraft(condition), deletedGoal };
}

/** A step that is no goal. */
const isOwn = (step: StepDraft): step is StepDraft & Draft => step.kind !== 'goal';

export const stepOf = (step: StepDraft): FunnelStep => (isOwn(step) ? definitionOf(step) : { goal: step.goal });

/** True when the step's own fields are filled in. The server checks the rest. */
export const isFilled = (step: StepDraft): boolean =>
  isOwn(step)
    ? goalKind(step.kind).fields.every((name) => name === 'props' || String(step[name]).trim() !== '')
    : step.goal !== '';
