// Text to rows, part by part, so that memory does not grow with the file. A record that is too long, such as one whose quote is never closed, costs
// its first line and no more: reading goes on in the line after it.
import Papa from 'papaparse';
import { ImportError, type RejectReason } from '../import.ts';

/** Of one record, in characters. */
export const MAX_RECORD = 64 * 1024;
export const MAX_COLUMNS = 2_000;
/** Each costs another look at up to MAX_RECORD characters. */
const MAX_LONG_RECORDS = 1_000;
/** In one part of the text. Papa looks for spaces after each, so that their number times the part's length is what it costs. */
const MAX_BROKEN_QUOTES = 4_096;

type Dialect = { delimiter: string; newline: '\n' | '\r' };
type CsvRows = { rows: string[][]; lines: number[]; rejected: { line: number; reason: RejectReason }[] };

type Parsed = { data: string[][]; errors: unknown[]; meta: { cursor: number } };

/** `line` counts from 1, by the breaks of the file. */
export async function* readCsv(
  texts: AsyncIterable<string>,
  { delimiter, newline, name }: Dialect & { name: string },
): AsyncGenerator<CsvRows> {
  const parser = new Papa.Parser({ delimiter, newline });
  let pending = '';
  let line = 1;
  let isSkipping = false;
  let longRecords = 0;

  function* rowsOf(text: string): Generator<CsvRows> {
    pending = text;
    for (;;) {
      if (isSkipping) skipLine();
      const { data, errors, meta } = parser.parse(pending, 0, true) as Parsed;
      if (errors.length > MAX_BROKEN_QUOTES) throw new ImportError({ what: 'broken_quotes', name, line });
      const found = number(data, pending.slice(0, meta.cursor), { line, newline });
      line = found.line;
      pending = pending.slice(meta.cursor);
      if (pending.length <= MAX_RECORD) return yield found;
      longRecords += 1;
      if (longRecords > MAX_LONG_RECORDS) throw new ImportError({ what: 'long_records', name });
      found.rejected.push({ line, reason: 'too_long' });
      isSkipping = true;
      yield found;
    }
  }
  function skipLine() {
    const end = pending.indexOf(newline);
    pending = end === -1 ? '' : pending.slice(end + 1);
    if (end === -1) return;
    isSkipping = false;
    line += 1;
  }

  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < MAX_RECORD) continue; // few large parts: each is looked at with what the last one left
    yield* rowsOf(pending + waiting);
    waiting = '';
  }
  yield* rowsOf(pending + waiting + newline);
  while (pending !== '' && !isSkipping) {
    // The end of the file is inside quotes. Without its first line, the rest may be rows.
    longRecords += 1;
    const open = { line, reason: 'unreadable' } as const;
    isSkipping = true;
    skipLine();
    yield { rows: [], lines: [], rejected: [open] };
    if (longRecords > MAX_LONG_RECORDS) return;
    yield* rowsOf(pending);
  }
}

/** Gives each row its line, and takes what Papa leaves: blank lines, and the CR of Windows. */
function number(data: string[][], text: string, from: { line: number; newline: string }): CsvRows & { line: number } {
  const { newline } = from;
  let { line } = from;
  const isOneLineEach = countOf(text, newline) === data.length;
  const found: CsvRows = { rows: [], lines: [], rejected: [] };
  for (const row of data) {
    const at = line;
    line += 1;
    let length = 0;
    for (const cell of row) {
      length += cell.length;
      if (!isOneLineEach && cell.includes(newline)) line += countOf(cell, newline);
    }
    const last = row.at(-1) ?? '';
    if (last.endsWith('\r')) row[row.length - 1] = last.slice(0, -1);
    if (row.length === 1 && (row[0] ?? '').trim() === '') continue;
    if (length > MAX_RECORD) {
      found.rejected.push({ line: at, reason: 'too_long' });
      continue;
    }
    found.rows.push(row);
    found.lines.push(at);
  }
  return Object.assign(found, { line });
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

export type CsvHead = Dialect & {
  header: string[];
  /** The line of the header: rows begin after it. */
  headerLine: number;
  /** True if lines that begin with # stand before the header. */
  hasComments: boolean;
  /** Rows that follow it, for decisions about the file as a whole. */
  sample: string[][];
};

const DELIMITERS = [',', ';', '\t', '|'];

/** What the start of a file shows. Undefined if its first row has no two columns; without a header if that does not end. */
export function readCsvHead(start: string, { isWhole }: { isWhole: boolean }): CsvHead | undefined {
  const newline = start.includes('\n') || !start.includes('\r') ? '\n' : '\r';
  const lead = leadOf(start, newline);
  const text = isWhole ? `${lead.rest}${newline}` : lead.rest;
  const delimiters = lead.delimiter ? [lead.delimiter] : DELIMITERS;
  let best: { delimiter: string; columns: number } | undefined;
  let isOpen = false;
  for (const tried of delimiters) {
    const { data } = new Papa.Parser({ delimiter: tried, newline, preview: 1 }).parse(text, 0, true) as Parsed;
    const columns = data[0]?.length ?? 0;
    isOpen ||= columns === 0;
    if (columns > (best?.columns ?? 1)) best = { delimiter: tried, columns };
  }
  if (!best && (isWhole || !isOpen)) return undefined;
  const delimiter = best?.delimiter ?? ',';
  const { data } = new Papa.Parser({ delimiter, newline }).parse(text, 0, true) as Parsed;
  const { rows } = number(data, text, { line: 1, newline });
  const [header = [], ...sample] = rows;
  return {
    delimiter,
    newline,
    header: header.map((name) => name.trim()),
    headerLine: lead.line,
    hasComments: lead.hasComments,
    sample,
  };
}

/** The lines before the header: comments, blank ones, and `sep=;`, by which spreadsheets are told the separator. */
function leadOf(start: string, newline: string) {
  let at = 0;
  let line = 1;
  let delimiter: string | undefined;
  let hasComments = false;
  for (;;) {
    const end = start.indexOf(newline, at);
    const text = start.slice(at, end === -1 ? undefined : end).trim();
    const told = /^sep=(.)?$/i.exec(text);
    if (end === -1 || !(text === '' || text.startsWith('#') || told)) break;
    if (told) delimiter = told[1] ?? '\t'; // trimming takes the tab
    hasComments ||= text.startsWith('#');
    at = end + 1;
    line += 1;
  }
  return { rest: start.slice(at), line, delimiter, hasComments };
}
