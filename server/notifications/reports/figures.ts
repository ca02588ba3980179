// The figures of a report and how each has changed, as numbers and in words.
import type { Block, Row } from '../../messages/mail/content.ts';
import type { Summary } from '../../stats/answers/summary.ts';
import { isTurned } from '../../vocabulary/habits/habits.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { hasCounterpart, isMeaningless } from '../../vocabulary/numbers/figures.ts';
import { change, type changeOf, metricValue } from '../../vocabulary/numbers/format.ts';
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';

/** `value`: null if there were no visits to compute it from. `previous`: null if nothing is compared. */
export type FigureNumber = { name: Metric; value: number | null; previous: number | null };
export type Figure = { metric: Metric; value: number; previous: number | null; shown: string };

export function figureOf(metric: Metric, summary: Summary): Figure {
  const found = summary.metrics.find(({ name }) => name === metric);
  const value = found?.value ?? 0;
  const previous = hasCounterpart(summary) ? (found?.previous ?? null) : null;
  if (isMeaningless(metric, summary)) return { metric, value: 0, previous: null, shown: '–' };
  return { metric, value, previous, shown: metricValue(metric, value, { currency: summary.currency, style: 'full' }) };
}

export function figureNumber(metric: Metric, summary: Summary): FigureNumber {
  const { value, previous } = figureOf(metric, summary);
  return { name: metric, value: isMeaningless(metric, summary) ? null : value, previous };
}

/** The metrics that a report shows. */
export const shownMetrics = ({ metrics }: Summary): Metric[] =>
  metrics.filter(({ name }) => metricRow(name).shownIfAny !== 'beside').map(({ name }) => name);

export function figuresTable(summary: Summary): Block {
  const rows = shownMetrics(summary).map((name): Row => {
    const figure = figureOf(name, summary);
    return { name: metricRow(name).label, value: figure.shown, change: changeIn(name, figure) };
  });
  return { kind: 'table', title: t('Figures'), rows };
}

export function changeIn(metric: Metric, { value, previous }: Pick<Figure, 'value' | 'previous'>): Row['change'] {
  return signed(change(metric, value, previous));
}

export function signed(changed: ReturnType<typeof changeOf>): Row['change'] {
  if (!changed) return undefined;
  return { text: changed.isWord ? changed.text : withSign(changed.text, changed.direction), verdict: changed.verdict };
}

/** In a text from right to left, a sign would stand behind its number without this mark. */
const LEFT_TO_RIGHT = '\u200e';
const SIGNS = { up: '+', down: '−', none: '' };

export function withSign(text: string, direction: keyof typeof SIGNS): string {
  const sign = SIGNS[direction];
  return `${sign !== '' && isTurned() ? LEFT_TO_RIGHT : ''}${sign}${text}`;
}
