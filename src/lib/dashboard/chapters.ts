// The chapters of a dashboard: which one has, in which order, and how they share the width of the page.
import { type Chapter, CHAPTER_NAMES, inOrder } from '../../../server/vocabulary/settings/arrangement.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import { onePageOf } from '../../../server/vocabulary/questions/dimensions.ts';
import type { Part } from '../../../server/vocabulary/settings/share-links.ts';
import type { Board } from '../view/board.svelte';

type Reader = Pick<Board, 'arrangement' | 'hasPart' | 'shareToken' | 'view'>;

/** The other chapters are parts, each by its own name, that a share link can leave out. */
const CONDITIONS: Partial<Record<Chapter, (board: Reader, metrics: readonly Metric[]) => boolean>> = {
  figures: () => true,
  reading: ({ view }) => onePageOf(view.filters) !== undefined,
  payments: ({ hasPart }, metrics) => hasPart('revenue') && metrics.includes('orders'),
  speed: ({ hasPart }) => hasPart('pages'),
  mentions: ({ shareToken }) => shareToken === undefined,
};

/** The chapters that a dashboard has, in the reader's order or another one. Those that are hidden are among them. */
export function chaptersOf(
  board: Reader,
  { metrics, order = board.arrangement.order }: { metrics: readonly Metric[]; order?: readonly Chapter[] | undefined },
): Chapter[] {
  return inOrder(order ?? [], CHAPTER_NAMES).filter(
    (name) => CONDITIONS[name]?.(board, metrics) ?? board.hasPart(name as Part),
  );
}

/** The page is divided into as many. */
const COLUMNS = 6;

/**
 * How many columns each chapter takes, where `most` fit beside each other. Those that are not narrow have a line of their own; narrow ones that follow
 * each other fill their lines evenly.
 */
export function spansOf(narrow: readonly boolean[], most: 2 | 3): number[] {
  const spans: number[] = [];
  for (let at = 0; at < narrow.length;) {
    const next = narrow.indexOf(false, at);
    const run = (next === -1 ? narrow.length : next) - at;
    const lines = Math.ceil(run / most);
    for (let line = 0; line < lines; line += 1) {
      const count = Math.floor(run / lines) + (line < run % lines ? 1 : 0);
      spans.push(...Array<number>(count).fill(COLUMNS / count));
    }
    if (next === -1) break;
    spans.push(COLUMNS);
    at = next + 1;
  }
  return spans;
}
