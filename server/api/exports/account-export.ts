// /export/account.zip?ticket=…: everything that Footfall holds about an account, as a ZIP file that is written while it is downloaded. The
// dashboard gets the ticket, which works once and for a minute, by a mutation: a link on another page cannot start an export.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { z } from 'zod';
import { exportAccount } from '../../accounts/account-export.ts';
import { recordAction } from '../../accounts/account-log.ts';
import { makeLink, takeLink } from '../../accounts/one-time-links.ts';
import { billingOf } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import { leavingOf } from '../../process/http/respond.ts';
import { accountFor } from '../../sites/access.ts';
import { listSites } from '../../sites/sites.ts';
import { MINUTE_MS, dayOf } from '../../vocabulary/time/time.ts';
import { readParams } from '../rest/params.ts';
import { readViewer, type Services, statsFor } from '../trpc.ts';

export const ACCOUNT_EXPORT_PATH = '/export/account.zip';
const query = z.strictObject({ ticket: z.string().max(200) });

type Whose = { accountId: string; userId: string };
const valueOf = ({ accountId, userId }: Whose) => `${accountId} ${userId}`;

/** Returns the address of an export for one download within a minute. */
export async function exportAddress({ db }: Directory, whose: Whose, now: number): Promise<string> {
  const ticket = await makeLink(db, 'export', { value: valueOf(whose), now, livesMs: MINUTE_MS });
  return `${ACCOUNT_EXPORT_PATH}?ticket=${ticket}`;
}

export function openAccountExport(services: Services) {
  const { directory, config } = services;

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    response.setHeader('cache-control', 'no-store');
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      throw new Refusal('method_not_allowed', 'The method must be GET.');
    }
    const now = services.now();
    const viewer = await readViewer(services, request.headers, () => services.addressHashOf(request));
    if (viewer?.kind !== 'user') throw new Refusal('unauthorized', 'Log in to export an account.');
    const { ticket } = readParams(url, query);
    const [accountId = '', userId] = (await takeLink(directory.db, 'export', { token: ticket, now })).split(' ');
    if (userId !== viewer.userId) throw new Refusal('not_found', 'This export is for somebody else: start your own.');
    const options = { now, billing: billingOf(config), evenExpired: true };
    const { account } = await accountFor(directory, viewer, { accountId }, 'owner', options);
    const parts = { account, now, signal: leavingOf(response) };
    const files = await directoryFiles(services, parts);
    await recordAction(services, 'exported', { ids: { account_id: account.id, user_id: userId } });
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="footfall-${dayOf(now)}.zip"`,
    });
    await send(response, [...files, ...(await eventFiles(services, viewer, parts))], now);
  };
}

type Parts = { account: { id: string; name: string }; now: number; signal: AbortSignal };
/** The content is made when the file's turn comes. */
type File = { name: string; read(): AsyncIterable<string> | Iterable<string> };

const json = (name: string, value: unknown): File => ({ name, read: () => [`${JSON.stringify(value, null, 2)}\n`] });

async function directoryFiles({ directory, payments }: Services, { account }: Parts): Promise<File[]> {
  const tables = await exportAccount(directory, account.id);
  const invoices = await payments?.invoices(account.id).catch((error: unknown) => {
    if (error instanceof Refusal) return { missing: error.message };
    throw error;
  });
  return [
    { name: 'README.txt', read: () => [ABOUT] },
    ...tables.map(([name, rows]) => json(`${name}.json`, rows)),
    ...(invoices ? [json('invoices.json', invoices)] : []),
  ];
}

async function eventFiles(services: Services, viewer: { kind: 'user'; userId: string }, parts: Parts): Promise<File[]> {
  const requester = { signal: parts.signal, addressHash: () => '', address: () => '' };
  const stats = await statsFor({ ...services, requester }, viewer, { accountId: parts.account.id });
  const sites = await listSites(services.directory, parts.account.id);
  return sites.flatMap(({ id: siteId, domain }) =>
    (['events', 'ai_visits'] as const).map((table) => ({
      name: `${table}/${domain}.ndjson`,
      read: () => stats.raw({ table, siteId }),
    })),
  );
}

/** Writes the files one after another, as fast as the client reads. */
async function send(response: ServerResponse, files: File[], now: number): Promise<void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  for (const { name, read } of files)
    zip.addReadStreamLazy(name, { mtime: new Date(now) }, (give) => {
      if (response.destroyed) return;
      current = Readable.from(asBytes(read()), { objectMode: false });
      // TRICKY: the library leaves errors of its sources to us. A file that cannot be read to its end must break the archive.
      current.on('error', (error) => output.destroy(error));
      give(null as never, current);
    });
  zip.end();
  try {
    await pipeline(output, response);
  } finally {
    current?.destroy(); // asks the store for nothing more
  }
}

async function* asBytes(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(part);
}

const ABOUT = `Everything that Footfall holds about your account.

*.json      one file for each kind of thing: the account, its sites with their settings, goals, funnels, segments, notes, links, keys,
            people, log and subscription. Keys, tokens and links are listed without their secrets, which Footfall does not know.
events/     one file for each site: a line of JSON for each page view, event and engagement, oldest first
ai_visits/  the same for visits by crawlers and assistants

Events hold no id of a visitor or a visit, and their time is the minute: Footfall shows nobody's single visits, not even to you.
Search terms from Google Search Console are not included: Google keeps them for 16 months.
Days are those of the site's time zone, amounts are in units of their currency, and times are in UTC.
`;
