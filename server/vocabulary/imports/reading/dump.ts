// Finds the rows of some tables in a plain dump of PostgreSQL: the lines between `COPY table (columns) FROM stdin;` and `\.`. Memory does not grow
// with the file, and a broken line costs itself alone (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format").
import { ImportError, type RejectReason } from '../import.ts';

/** Of one line, in characters: names and addresses are at most 500 each. Lines of other tables may be longer. */
const MAX_LINE = 64 * 1024;

export type DumpRow = { table: string; columns: readonly string[]; cells: readonly string[] };
type DumpRows = { rows: { row: DumpRow; line: number }[]; rejected: { line: number; reason: RejectReason }[] };
/** `needed`: the table without which the dump holds nothing. `name`: of the file. */
type Wanted = { tables: readonly string[]; needed: string; name: string };

const COPY = /^COPY (?:"?\w{1,63}"?\.)?"?(\w{1,63})"? \(([^)]{1,10000})\) FROM stdin;\s*$/;
const HEAD = /^COPY .{1,11000} FROM stdin;/m;
const END = '\\.';

/** Whether the start of a file is that of a dump. Throws an ImportError for dumps in another form. */
export function isDump(start: string, name: string): boolean {
  if (start.startsWith('PGDMP')) throw new ImportError({ what: 'custom_dump', name });
  return /^--[^\n]{0,9}\n-- PostgreSQL database (?:cluster )?dump/.test(start) || HEAD.test(start);
}

export async function* readDump(texts: AsyncIterable<string>, wanted: Wanted): AsyncGenerator<DumpRows> {
  const scan = openScan(wanted);
  let pending = '';
  let isSkipping = false;
  for await (const text of texts) {
    const found: DumpRows = { rows: [], rejected: [] };
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const one of lines) {
      scan.add(isSkipping ? undefined : one, found);
      isSkipping = false;
    }
    if (pending.length > MAX_LINE) {
      isSkipping = true;
      pending = '';
    }
    yield found;
  }
  const last: DumpRows = { rows: [], rejected: [] };
  scan.end(isSkipping ? undefined : pending, last);
  yield last;
}

type Section = { table: string; columns: string[]; isWanted: boolean };

function openScan({ tables, needed, name }: Wanted) {
  let section: Section | undefined;
  let isFound = false;
  let line = 0;
  const open = (text: string) => {
    const [, table = '', columns = ''] = COPY.exec(text) ?? [];
    if (table === '') return;
    section = {
      table,
      columns: columns.split(',').map((column) => column.trim().replaceAll('"', '')),
      isWanted: tables.includes(table),
    };
    isFound ||= table === needed;
  };
  const read = ({ table, columns, isWanted }: Section, text: string | undefined, found: DumpRows) => {
    if (!isWanted) return;
    const cells = text === undefined || text.length > MAX_LINE ? undefined : cellsOf(text);
    if (cells?.length === columns.length) found.rows.push({ row: { table, columns, cells }, line });
    else found.rejected.push({ line, reason: !cells ? 'too_long' : reasonOf(cells, columns) });
  };
  /** Undefined for a line that is longer than any. */
  const add = (text: string | undefined, found: DumpRows) => {
    line += 1;
    if (section === undefined) {
      if (text?.startsWith('COPY ')) open(text);
      else if (text?.startsWith('INSERT INTO ')) throw new ImportError({ what: 'dump_of_inserts', name, line });
    } else if (text?.trimEnd() === END) section = undefined;
    else read(section, text, found);
  };
  /** With what stands after the last line break. Rows of a table that has no end were cut off. */
  const end = (text: string | undefined, found: DumpRows) => {
    const isCutOff = section?.isWanted === true && text?.trimEnd() !== END;
    if (isCutOff) found.rejected.push({ line: line + 1, reason: 'unreadable' });
    else add(text, found);
    if (!isFound) throw new ImportError({ what: 'dump_without_table', name, table: needed });
  };
  return { add, end };
}

const reasonOf = (cells: readonly string[], columns: readonly string[]): RejectReason =>
  cells.length < columns.length ? 'short_row' : 'unreadable';

function cellsOf(line: string): string[] {
  const cells = (line.endsWith('\r') ? line.slice(0, -1) : line).split('\t');
  return line.includes('\\') ? cells.map(plain) : cells;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const ESCAPE = /\\(x[\da-f]{1,2}|[0-7]{1,3}|[^])/gi;

/** NULL becomes an empty text. */
function plain(cell: string): string {
  if (!cell.includes('\\')) return cell;
  if (cell === '\\N') return '';
  return cell.replaceAll(ESCAPE, (_, code: string) => {
    if (/^x./i.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (ESCAPES[code] ?? code);
  });
}
