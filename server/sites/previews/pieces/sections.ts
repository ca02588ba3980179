// The sections below a piece of many parts, as HTML: the script of the frame replaces each when it has changed.
import { metricValue, shortNumber } from '../../../vocabulary/numbers/format.ts';
import { type Metric, metricRow } from '../../../vocabulary/numbers/metrics.ts';
import type { WallRow } from '../../../vocabulary/settings/wall.ts';
import { barRows } from '../../../vocabulary/texts/bar-rows.ts';
import { escapeXml } from '../../../vocabulary/texts/markup.ts';
import { changeBeside } from './drawings.ts';

/** `previous`: of the time before, null where there is nothing to compare with. */
export type Figures = {
  figures: readonly { metric: Metric; value: number; previous: number | null }[];
  currency: string | null;
  /** The days that they are compared with, if any. */
  before: { date_from: string; date_to: string } | null;
};

/** `name`: its class, see style.ts. `title`: HTML. */
export const section = (name: string, title: string, content: string): string =>
  `<section class="${name}"><h2>${title}</h2>${content}</section>`;

export const list = (rows: readonly WallRow[], none: string): string =>
  rows.length > 0 ? `<ol>${barRows(rows, shortNumber)}</ol>` : `<p class="empty">${escapeXml(none)}</p>`;

/** `compared`: with what, in a sentence. */
export function figuresSection(title: string, { figures, currency }: Figures, compared: string): string {
  const all = figures.map(({ metric, value, previous }) => {
    const shown = escapeXml(metricValue(metric, value, { currency }));
    return `<div><dt>${escapeXml(metricRow(metric).label)}</dt><dd><b>${shown}</b>${changeBeside(metric, value, previous)}</dd></div>`;
  });
  return section('figures', escapeXml(title), `<dl>${all.join('')}</dl><p>${escapeXml(compared)}</p>`);
}
