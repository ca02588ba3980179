// How a filter compares a dimension with its values.

export const OPERATORS = {
  is: { label: 'is' },
  is_not: { label: 'is not', negates: 'is' },
  contains: { label: 'contains' },
  contains_not: { label: 'does not contain', negates: 'contains' },
} as const satisfies Record<string, { label: string; negates?: string }>;

export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as [Operator, ...Operator[]];

/** What a negative operator keeps out. */
export function negatedBy(operator: Operator): Operator | undefined {
  const row = OPERATORS[operator];
  return 'negates' in row ? row.negates : undefined;
}
