// A filter in words, where only text can be shown: in mails, and in lists of who sees what.
import { type Dimension, dimensionRow, isDimension, propertyKey } from './dimensions.ts';
import { FURTHEST_STEP } from './furthest-step.ts';
import { type Operator, OPERATORS } from './operators.ts';
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

/** Such as "Country is Germany or France". */
export function wordsOfFilter({ dimension, operator, values }: Filter, { nameOf, show }: Wording): string {
  const label = dimension === SEGMENT ? 'Segment' : dimension === FURTHEST_STEP ? 'Furthest step' : labelOf(dimension);
  const named = (value: string) =>
    nameOf(dimension, value) ?? (isDimension(dimension) ? valueName(dimension, value) : value);
  return `${show(label)} ${OPERATORS[operator].label} ${values.map((value) => show(named(value))).join(' or ')}`;
}
