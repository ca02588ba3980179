// Dimensions and their values as people read them. server/vocabulary/questions/dimensions.ts has the labels.
import { goalName } from '../goals/names.ts';
import { t, texts } from '../../../server/vocabulary/habits/messages.ts';
import {
  type Dimension,
  DIMENSION_NAMES,
  dimensionRow,
  isDimension,
  propertyKey,
  sourceOf,
} from '../../../server/vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../../server/vocabulary/questions/furthest-step.ts';
import { sayFilter } from '../../../server/vocabulary/questions/filter-words.ts';
import { CODE_NAMES, valueName as plainName } from '../../../server/vocabulary/questions/value-names.ts';
import { OPERATORS } from '../../../server/vocabulary/questions/operators.ts';
import { type FilterDimension, SEGMENT, sourceOfFilter } from '../../../server/vocabulary/questions/segments.ts';
import { addressName, domainName } from './domain.ts';
import { regionName } from './regions.ts';
import type { Filter } from '../view/view.ts';

type Names = Partial<Record<Dimension, (value: string) => string>>;

/** Dimensions whose values are codes that are shown by name. Searches look at the names. */
const CODES: Names = {
  ...CODE_NAMES,
  region: regionName,
  goal: goalName,
};
/** Dimensions whose values are shown in another spelling. */
const SPELLINGS: Names = { hostname: domainName, source: domainName, referrer: addressName };

export const isCoded = (dimension: Dimension): boolean => dimension in CODES;
/** Dimensions of visitors whose values are codes. */
export const CODED = DIMENSION_NAMES.filter((name) => isCoded(name) && sourceOf(name) === 'events');

export const isOfAi = (dimension: FilterDimension): boolean => sourceOfFilter(dimension) === 'ai_visits';

/** A dimension's label. For `prop:KEY` it is the key, and an unknown name is its own label. */
export const dimensionLabel = (dimension: string): string =>
  propertyKey(dimension) ??
  (isDimension(dimension) ? dimensionRow(dimension).label : (WITHOUT_LISTS[dimension] ?? dimension));

const WITHOUT_LISTS: Record<string, string> = texts({ [SEGMENT]: 'Segment', [FURTHEST_STEP]: 'Step of a funnel' });

/** How a filter begins in words, before its values: "Country", "is not". */
export function filterWords({ dimension, operator }: Pick<Filter, 'dimension' | 'operator'>) {
  return dimension === FURTHEST_STEP
    ? { label: operator === 'is' ? t('Left') : t('Did not leave'), operator: '' }
    : { label: dimensionLabel(dimension), operator: OPERATORS[operator].label };
}

/** A filter in words, with its values. */
export function filterSentence(filter: Pick<Filter, 'dimension' | 'operator'>, values: string): string {
  const { dimension, operator } = filter;
  if (dimension !== FURTHEST_STEP) return sayFilter(operator, { label: dimensionLabel(dimension), values });
  return operator === 'is' ? t('Left {step}', { step: values }) : t('Did not leave {step}', { step: values });
}

/** A value as `data-row` has it: stored, or the English name for none, since attributes are the same in all languages. */
export function rowName(dimension: string, value: string): string {
  if (value !== '') return value;
  if (/^(?:channel|source|referrer)$/.test(dimension)) return 'Direct';
  if (/page$/.test(dimension)) return 'No page';
  if (/^(?:utm_.*|event)$/.test(dimension)) return 'None';
  return isDimension(dimension) && propertyKey(dimension) === undefined ? 'Unknown' : '(none)';
}

/** A dimension's value in words: "Direct" for an empty source, "Germany" for DE. */
export function valueName(dimension: string, value: string): string {
  if (!isDimension(dimension)) return value || t('(none)');
  const named = value === '' ? undefined : (CODES[dimension] ?? SPELLINGS[dimension]);
  return named?.(value) ?? plainName(dimension, value);
}
