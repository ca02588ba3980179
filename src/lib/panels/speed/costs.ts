// What slow pages cost, in one sentence: the share of views that wait longer than Google calls poor, where it is largest.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { type Vital, VITALS } from '../../../../server/vocabulary/numbers/vitals.ts';
import type { VitalsFigures, VitalsList } from '../../api/types';
import { percent } from '../../formats/format';
import { vitalText } from './ratings';

/** From this share on, in per cent, it is said in the list too. */
const MUCH = 10;
/** The share of fewer views is chance. */
const LEAST_VIEWS = 20;

const DEVICES = ['mobile', 'tablet', 'desktop'] as const;
type Device = (typeof DEVICES)[number];
const deviceOf = (name: string | undefined) => DEVICES.find((one) => one === name);

type Say = (of: { share: string; limit: string }) => string;
const SENTENCES: Record<Vital, Record<Device | 'all', Say>> = {
  lcp: {
    all: (of) => t('{share} of views wait over {limit} here.', of),
    mobile: (of) => t('{share} of views on phones wait over {limit} here.', of),
    tablet: (of) => t('{share} of views on tablets wait over {limit} here.', of),
    desktop: (of) => t('{share} of views on desktops wait over {limit} here.', of),
  },
  inp: {
    all: (of) => t('{share} of views wait over {limit} after a click here.', of),
    mobile: (of) => t('{share} of views on phones wait over {limit} after a click here.', of),
    tablet: (of) => t('{share} of views on tablets wait over {limit} after a click here.', of),
    desktop: (of) => t('{share} of views on desktops wait over {limit} after a click here.', of),
  },
  cls: {
    all: (of) => t('{share} of views move by more than {limit} here.', of),
    mobile: (of) => t('{share} of views on phones move by more than {limit} here.', of),
    tablet: (of) => t('{share} of views on tablets move by more than {limit} here.', of),
    desktop: (of) => t('{share} of views on desktops move by more than {limit} here.', of),
  },
  fcp: {
    all: (of) => t('{share} of views show nothing for over {limit} here.', of),
    mobile: (of) => t('{share} of views on phones show nothing for over {limit} here.', of),
    tablet: (of) => t('{share} of views on tablets show nothing for over {limit} here.', of),
    desktop: (of) => t('{share} of views on desktops show nothing for over {limit} here.', of),
  },
  ttfb: {
    all: (of) => t('{share} of views wait over {limit} for the server here.', of),
    mobile: (of) => t('{share} of views on phones wait over {limit} for the server here.', of),
    tablet: (of) => t('{share} of views on tablets wait over {limit} for the server here.', of),
    desktop: (of) => t('{share} of views on desktops wait over {limit} for the server here.', of),
  },
};

/** `device`: that of the views, if they have one in common. */
export function sayCost(vital: Vital, poor: number, device?: string): string {
  const { poor: limit, unit } = VITALS[vital];
  const short =
    unit === 'milliseconds' && limit % 1000 === 0
      ? t('{seconds} s', { seconds: limit / 1000 })
      : vitalText(vital, limit);
  return SENTENCES[vital][deviceOf(device) ?? 'all']({ share: percent(poor), limit: short });
}

/** True if so many views are slow that the list says so. */
export const isMuch = ({ poor, views }: VitalsFigures[Vital]): boolean => poor >= MUCH && views >= LEAST_VIEWS;
/** True if that may be so on phones alone, which have a third of the views or more. */
export const mayBeMuch = ({ poor, views }: VitalsFigures[Vital]): boolean => poor >= MUCH / 3 && views >= LEAST_VIEWS;

/** Says it of the device that most slow views have. */
export function costOf(vital: Vital, all: VitalsFigures, devices: VitalsList['rows'] = []): string {
  const slow = (row: VitalsFigures) => row[vital].poor * row[vital].views;
  const [worst] = devices
    .filter((row) => slow(row) > 0 && deviceOf(row.name))
    .toSorted((one, other) => slow(other) - slow(one));
  return sayCost(vital, (worst ?? all)[vital].poor, worst?.name);
}
