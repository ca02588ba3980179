// The operators that compare a dimension with a filter's values.
import { textsOf } from '../habits/messages.ts';

export const OPERATORS = textsOf(['label'], {
  is: { label: 'is' },
  is_not: { label: 'is not', negates: 'is' },
  contains: { label: 'contains' },
  contains_not: { label: 'does not contain', negates: 'contains' },
} as const satisfies Record<string, { label: string; negates?: string }>);

export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]];

/** True if an id is one of a filter's values, or contains one. Negative operators name the same ids as those that they negate. */
export function namesId({ operator, values }: { operator: Operator; values: readonly string[] }, id: string): boolean {
  if ((negatedBy(operator) ?? operator) === 'is') return values.includes(id);
  return values.some((part) => id.toLowerCase().includes(part.toLowerCase()));
}

/** Returns the operator that a negative operator negates; undefined for positive ones. */
export function negatedBy(operator: Operator): Operator | undefined {
  const row = OPERATORS[operator];
  return 'negates' in row ? row.negates : undefined;
}
