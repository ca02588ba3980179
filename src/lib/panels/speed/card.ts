// A row of the list on speed, whose card the address names: `details=speed&row=page:/pricing`.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { isDimension } from '../../../../server/vocabulary/questions/dimensions.ts';
import { OWN_SPLITS, type VitalsSplit, VITALS_SPLITS } from '../../../../server/vocabulary/numbers/vitals.ts';
import type { Asks } from '../../api/types';
import { valueName } from '../../formats/dimensions';
import type { View } from '../../view/view';

type SpeedRow = { split: VitalsSplit; name: string };

export const cardOf = ({ split, name }: SpeedRow): Partial<View> => ({
  details: 'speed',
  row: `${split}:${name}`,
  search: undefined,
  order: undefined,
});

/** Undefined for an address that somebody has written wrongly. */
export function readRow(row: string | undefined): SpeedRow | undefined {
  const [named, ...rest] = (row ?? '').split(':');
  const split = VITALS_SPLITS.find((one) => one === named);
  return split && { split, name: rest.join(':') };
}

/** The question about the page views of one row. Columns that only measurements have are no filters. */
export function narrowedTo(
  { split, name }: SpeedRow,
  question: Asks['stats']['vitals'],
): Pick<Asks['stats']['vitals'], 'filters' | 'only'> {
  const own = OWN_SPLITS.find((one) => one === split);
  if (own) return { only: { split: own, name } };
  return isDimension(split)
    ? { filters: [...(question.filters ?? []), { dimension: split, operator: 'is', values: [name] }] }
    : {};
}

/** A row in words. */
export const rowName = ({ split, name }: SpeedRow): string =>
  isDimension(split) ? valueName(split, name) : name || t('unknown');
