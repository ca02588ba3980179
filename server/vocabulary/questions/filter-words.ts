// A filter in words, where only text can be shown: in mails, and in lists of who sees what.
import { t } from '../habits/messages.ts';
import { type Dimension, dimensionRow, isDimension, propertyKey } from './dimensions.ts';
import { FURTHEST_STEP } from './furthest-step.ts';
import type { Operator } from './operators.ts';
import { type FilterDimension, SEGMENT } from './segments.ts';
import { valueName } from './value-names.ts';

type Filter = { dimension: FilterDimension; operator: Operator; values: readonly string[] };
type Wording = {
  /** The name of a value that is an id; undefined for other values. */
  nameOf(dimension: FilterDimension, value: string): string | undefined;
  /** Makes names from strangers safe for the place where the words appear. */
  show(text: string): string;
};

const labelOf = (dimension: Dimension): string => propertyKey(dimension) ?? dimensionRow(dimension).label;

/** `Germany or France`. */
export const eitherOf = (names: readonly string[]): string =>
  names.length === 0 ? '' : names.reduce((one, other) => t('{one} or {other}', { one, other }));

/** The same filter with its values in words. */
export function sayFilter(operator: Operator, named: { label: string; values: string }): string {
  switch (operator) {
    case 'is':
      return t('{label} is {values}', named);
    case 'is_not':
      return t('{label} is not {values}', named);
    case 'contains':
      return t('{label} contains {values}', named);
    case 'contains_not':
      return t('{label} does not contain {values}', named);
  }
}

/** Such as "Country is Germany or France". */
export function wordsOfFilter({ dimension, operator, values }: Filter, { nameOf, show }: Wording): string {
  const label =
    dimension === SEGMENT ? t('Segment') : dimension === FURTHEST_STEP ? t('Furthest step') : labelOf(dimension);
  const named = (value: string) =>
    nameOf(dimension, value) ?? (isDimension(dimension) ? valueName(dimension, value) : value);
  return sayFilter(operator, { label: show(label), values: eitherOf(values.map((value) => show(named(value)))) });
}
