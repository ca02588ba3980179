// What slow pages cost, in one sentence: the share of views that wait longer than Google calls poor, where it is largest.
import { type Vital, VITALS } from '../../../../server/vocabulary/numbers/vitals.ts';
import type { VitalsFigures, VitalsList } from '../../api/types';
import { percent } from '../../formats/format';
import { vitalText } from './ratings';

/** From this share on, in per cent, it is said in the list too. */
const MUCH = 10;
/** The share of fewer views is chance. */
const LEAST_VIEWS = 20;

const DEVICES: Partial<Record<string, string>> = {
  mobile: 'views on phones',
  tablet: 'views on tablets',
  desktop: 'views on desktops',
};

const WORDS: Record<Vital, (limit: string) => string> = {
  lcp: (limit) => `wait over ${limit}`,
  inp: (limit) => `wait over ${limit} after a click`,
  cls: (limit) => `move by more than ${limit}`,
  fcp: (limit) => `show nothing for over ${limit}`,
  ttfb: (limit) => `wait over ${limit} for the server`,
};

/** `device`: that of the views, if they have one in common. */
export function sayCost(vital: Vital, poor: number, device?: string): string {
  const { poor: limit, unit } = VITALS[vital];
  const short = unit === 'milliseconds' && limit % 1000 === 0 ? `${limit / 1000} s` : vitalText(vital, limit);
  return `${percent(poor)} of ${DEVICES[device ?? ''] ?? 'views'} ${WORDS[vital](short)} here.`;
}

/** True if so many views are slow that the list says so. */
export const isMuch = ({ poor, views }: VitalsFigures[Vital]): boolean => poor >= MUCH && views >= LEAST_VIEWS;
/** True if that may be so on phones alone, which have a third of the views or more. */
export const mayBeMuch = ({ poor, views }: VitalsFigures[Vital]): boolean => poor >= MUCH / 3 && views >= LEAST_VIEWS;

/** Says it of the device that most slow views have. */
export function costOf(vital: Vital, all: VitalsFigures, devices: VitalsList['rows'] = []): string {
  const slow = (row: VitalsFigures) => row[vital].poor * row[vital].views;
  const [worst] = devices
    .filter((row) => slow(row) > 0 && DEVICES[row.name])
    .toSorted((one, other) => slow(other) - slow(one));
  return sayCost(vital, (worst ?? all)[vital].poor, worst?.name);
}
