// A goal's condition in words.
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';

export function conditionOf(goal: GoalDefinition): string {
  switch (goal.kind) {
    case 'event': {
      const props = Object.entries(goal.props).map(([key, value]) => `${key} is ${value || 'empty'}`);
      return [`Event ${goal.event}`, ...(props.length > 0 ? [`with ${props.join(' and ')}`] : [])].join(' ');
    }
    case 'page':
      return `View of ${goal.page}`;
    case 'scroll':
      return `${goal.scroll}% of ${goal.page} seen`;
    case 'time':
      return `${goal.seconds} s on ${goal.page}`;
  }
}

/** The suggested name for a new goal. */
export function nameFor(goal: GoalDefinition): string {
  return goal.kind === 'event' ? goal.event : conditionOf(goal);
}
