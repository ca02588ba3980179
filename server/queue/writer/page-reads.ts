// Tracks how far each page of a visit has been read. The writer stores this with each engagement row, so that the row alone tells whether
// it is the one that reached a goal of scroll depth or time.
import { blankOf, ENGAGEMENT, type Event, PAGEVIEW, READ_COLUMNS, type ReadPart } from '../../vocabulary/event.ts';

/** The latest view of a page: its last row, and how far it has been read. */
type PageRead = { page: string; lastAt: number; lastIsView: boolean; scroll: number; engagedMs: number };
/** Undefined if earlier rows of the visit are not known here. */
export type PageReads = PageRead[] | undefined;

/** Anybody can open any number of pages in a visit. If there are more than this, queries follow the views instead. */
const MAX_PAGES = 30;
/** Measured size of a page, without its text. */
const PAGE_BYTES = 150;
/** The largest value of the column. */
const MAX_MS = 2 ** 32 - 1;

const NOTHING_READ = blankOf(READ_COLUMNS);
const OUT_OF_ORDER: ReadPart = { ...NOTHING_READ, out_of_order: 1 };

type Read = { part: ReadPart; reads: PageReads; grownBytes: number };

/** Returns READ_COLUMNS for an event. Updates `reads` in place, and returns it with the number of bytes by which it grew. */
export function readPage(reads: PageReads, event: Event, entryPage: string): Read {
  const { name, page, time, scroll, engaged_ms } = event;
  const isView = name === PAGEVIEW;
  if (!isView && name !== ENGAGEMENT) return { part: NOTHING_READ, reads, grownBytes: 0 };
  const known = reads?.find((one) => one.page === page);
  if (!reads || (!known && reads.length >= MAX_PAGES)) return { part: OUT_OF_ORDER, reads: undefined, grownBytes: 0 };
  const read = known ?? { page, lastAt: -1, lastIsView: false, scroll: 0, engagedMs: 0 };
  if (!known) reads.push(read);
  // The visit holds the text of its entry page anyway.
  const grownBytes = known ? 0 : PAGE_BYTES + (page === entryPage ? 0 : 2 * page.length);
  if (!isAfter(event, read)) return { part: OUT_OF_ORDER, reads, grownBytes };
  const part = isView
    ? NOTHING_READ
    : { scroll_before: read.scroll, engaged_before_ms: read.engagedMs, out_of_order: 0 as const };
  read.lastAt = time;
  read.lastIsView = isView;
  read.scroll = isView ? 0 : Math.max(read.scroll, scroll);
  read.engagedMs = isView ? 0 : Math.min(read.engagedMs + engaged_ms, MAX_MS);
  return { part, reads, grownBytes };
}

/** Engagement of the same moment as a page view belongs to the view before it. */
function isAfter({ time, name }: Event, { lastAt, lastIsView }: PageRead): boolean {
  return time > lastAt || (time === lastAt && name === PAGEVIEW && !lastIsView);
}
