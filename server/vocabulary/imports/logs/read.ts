// The lines of log files, in the order of time whichever order the files were chosen in: visits go on from one file to the next, and between the files
// of several servers.
import type { RejectReason } from '../import.ts';
import { type LogLine, MAX_LINE_BYTES } from './line.ts';
import { openLogReader } from './reader.ts';

/** `time`: of the line, or of the last one before it that could be read. */
type LogItem = { line: number; time: number } & ({ row: LogLine } | { reason: RejectReason });
/** `startsAt`: the time of its first line. */
type Source<Name> = { name: Name; startsAt: number; read(): AsyncGenerator<LogItem[]> };

/** Lines that are looked at to find out whether a file is a log. */
const LINES_OF_START = 200;

/** The time of the first request; undefined if the file does not begin like a log. */
export function startOfLog(start: string): number | undefined {
  const read = openLogReader();
  for (const text of start.split(/\r?\n|\r/, LINES_OF_START)) {
    const found = text.length > MAX_LINE_BYTES ? undefined : read(text.trimEnd());
    if (found && found !== 'comment') return found.time;
  }
  return undefined;
}

/** Leaves out blank lines and comments. */
export async function* readLog(texts: AsyncIterable<string>): AsyncGenerator<LogItem[]> {
  const read = openLogReader();
  let pending = '';
  let line = 0;
  let time = 0;
  let isTooLong = false;
  const itemOf = (text: string): LogItem | undefined => {
    line += 1;
    if (isTooLong || text.length > MAX_LINE_BYTES) {
      isTooLong = false;
      return { line, time, reason: 'too_long' };
    }
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const found = whole === '' ? 'comment' : read(whole);
    if (found === 'comment') return undefined;
    if (!found) return { line, time, reason: 'unreadable' };
    time = found.time;
    return { line, time, row: found };
  };
  for await (const text of texts) {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    const items = lines.flatMap((one) => itemOf(one) ?? []);
    if (pending.length > MAX_LINE_BYTES) {
      isTooLong = true;
      pending = '';
    }
    if (items.length > 0) yield items;
  }
  const last = pending !== '' || isTooLong ? itemOf(pending) : undefined;
  if (last) yield [last];
}

type Open<Name> = { name: Name; items: LogItem[]; at: number; more: AsyncGenerator<LogItem[]> };

/** Reads the files side by side, each from when its first line is due. Those that are done are closed. */
export async function* inOrderOfTime<Name>(
  sources: readonly Source<Name>[],
): AsyncGenerator<{ name: Name; items: LogItem[] }> {
  const waiting = sources.toSorted((one, other) => one.startsAt - other.startsAt);
  const opened = new Set<Open<Name>>();
  const refill = async (one: Open<Name>): Promise<void> => {
    const { done, value } = await one.more.next();
    if (done) opened.delete(one);
    else Object.assign(one, { items: value, at: 0 });
  };
  const openNext = async (): Promise<void> => {
    const source = waiting.shift();
    if (!source) return;
    const one: Open<Name> = { name: source.name, items: [], at: 0, more: source.read() };
    opened.add(one);
    await refill(one);
  };
  try {
    for (;;) {
      while (waiting[0] && waiting[0].startsAt <= (earliestOf(opened)?.head ?? Infinity)) await openNext();
      const next = earliestOf(opened);
      if (!next) return;
      const { one } = next;
      const until = Math.min(next.second, waiting[0]?.startsAt ?? Infinity);
      let end = one.at + 1;
      while (end < one.items.length && timeAt(one, end) <= until) end += 1;
      yield {
        name: one.name,
        items: one.at === 0 && end === one.items.length ? one.items : one.items.slice(one.at, end),
      };
      one.at = end;
      if (end === one.items.length) await refill(one);
    }
  } finally {
    for (const { more } of opened) await more.return(undefined);
  }
}

const timeAt = (one: Open<unknown>, at: number): number => one.items[at]?.time ?? 0;

/** The file whose next line is the earliest, when that is, and when the next line of all others is. */
function earliestOf<Name>(opened: Set<Open<Name>>): { one: Open<Name>; head: number; second: number } | undefined {
  let found: { one: Open<Name>; head: number } | undefined;
  let second = Infinity;
  for (const one of opened) {
    const head = timeAt(one, one.at);
    if (!found || head < found.head) {
      second = Math.min(second, found?.head ?? Infinity);
      found = { one, head };
    } else second = Math.min(second, head);
  }
  return found && { ...found, second };
}
