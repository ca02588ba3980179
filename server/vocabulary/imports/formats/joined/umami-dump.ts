// A dump of Umami's PostgreSQL: its hits are in website_event, and what visitors use in session, which pg_dump writes before (umami-software/umami,
// prisma/schema.prisma and prisma/migrations). Older releases have the host in the session; where it is in neither, that of the website counts.
import { ImportError, type ImportBatch, type RejectReason } from '../../import.ts';
import { type DumpRow, isDump } from '../../reading/dump.ts';
import { placeOf } from '../../values/addresses.ts';
import type { DumpFormat, Table } from '../format.ts';
import { openSessions, type Sessions } from './sessions.ts';

/** What the events lack. `subdivision1` is the region of older releases. */
const FIELDS = ['hostname', 'browser', 'os', 'device', 'screen', 'language', 'country', 'region', 'city'];
const HOST = FIELDS.indexOf('hostname');
const OLDER: Readonly<Record<string, string>> = { region: 'subdivision1' };

/** `openEvents` reads a table of events whose rows hold everything. */
export const umamiDump = (
  openEvents: (header: readonly string[]) => Table | undefined,
  becomes: Readonly<Record<string, string | null>>,
): DumpFormat => ({
  kind: 'hits',
  matches: isDump,
  becomes,
  tables: ['session', 'website', 'website_event'],
  needed: 'website_event',
  open: ({ name }) => {
    const sessions = openSessions(FIELDS.length, name);
    const websites = openWebsites();
    const putEvent = joiner({ sessions, websites, openEvents, name });
    return (row, batch, line) => {
      if (row.table === 'website_event') return putEvent(row, batch, line);
      const cell = cellReader(row);
      websites.add(cell('website_id'), cell('domain'));
      if (row.table === 'session')
        sessions.add(
          cell('session_id'),
          FIELDS.map((field) => cell(field) || cell(OLDER[field] ?? '')),
        );
      return undefined;
    };
  },
});

const cellReader =
  ({ columns, cells }: DumpRow) =>
  (column: string): string =>
    cells[columns.indexOf(column)] ?? '';

/** More than a server of Umami has. Of others, the host is not known. */
const MAX_WEBSITES = 10_000;

function openWebsites() {
  const hosts = new Map<string, string>();
  return {
    add(id: string, domain: string) {
      if (id === '' || (hosts.size === MAX_WEBSITES && !hosts.has(id))) return;
      const host = placeOf(domain.includes('://') ? domain : `https://${domain}`)?.hostname ?? '';
      if (host !== '' || !hosts.has(id)) hosts.set(id, host);
    },
    hostOf: (id: string): string => hosts.get(id) ?? '',
    areSeveral: () => hosts.size > 1,
  };
}

type Joined = {
  sessions: Sessions;
  websites: ReturnType<typeof openWebsites>;
  openEvents: (header: readonly string[]) => Table | undefined;
  name: string;
};

function joiner({ sessions, websites, openEvents, name }: Joined) {
  let known: readonly string[] | undefined;
  let table: Table | undefined;
  let added: number[] = [];
  let at = { session: -1, website: -1, host: -1 };
  const open = (columns: readonly string[]) => {
    known = columns;
    added = FIELDS.map((_, index) => index).filter((index) => !columns.includes(FIELDS[index] ?? ''));
    const header = columns.concat(added.map((index) => FIELDS[index] ?? ''));
    table = openEvents(header);
    at = {
      session: columns.indexOf('session_id'),
      website: columns.indexOf('website_id'),
      host: header.indexOf('hostname'),
    };
    if (!table) throw new ImportError({ what: 'umami_table', name });
  };
  return ({ columns, cells }: DumpRow, batch: ImportBatch, line: number): RejectReason | undefined => {
    if (columns !== known) open(columns);
    const session = cells[at.session] ?? '';
    const website = cells[at.website] ?? '';
    const row = cells.concat(added.map((field) => sessions.get(session, field)));
    row[at.host] ||= sessions.get(session, HOST) || websites.hostOf(website);
    websites.add(website, '');
    if (row[at.host] === '' && websites.areSeveral()) throw new ImportError({ what: 'umami_websites', name, line });
    return table?.put(row, batch, line);
  };
}
