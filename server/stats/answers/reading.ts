// How a page is read: for how long, and how far down.
import type { SummaryQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { type Asked, type Days, daysOf, scopeOf, valuesOf } from './values.ts';
import { TENTHS } from '../sql/views.ts';

export type Reading = Days & {
  /** Measured page views: those whose script reported engagement. */
  views: number;
  /** Medians of these views, in seconds and per cent. */
  time_on_page: number;
  scroll_depth: number;
  /** How many of these views reached each tenth of the page: 10, 20 … 100 per cent. */
  reached: { scroll: number; views: number }[];
};

export async function askReading(reader: Reader, asked: Asked<SummaryQuestion>): Promise<Reading> {
  const range = await askRange(reader, asked);
  const metrics = ['time_on_page', 'scroll_depth'] as const;
  const [row] = await reader.ask({ scope: scopeOf(asked, range), metrics: [...metrics], withReach: true });
  const { time_on_page = 0, scroll_depth = 0 } = valuesOf(row, metrics);
  return {
    ...daysOf(range),
    views: Number(row?.['read_views'] ?? 0),
    time_on_page,
    scroll_depth,
    reached: TENTHS.map((scroll) => ({ scroll, views: Number(row?.[`reach_${scroll}`] ?? 0) })),
  };
}
