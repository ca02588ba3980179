// The rows of a day as a file, for warehouses: lines of JSON or Parquet, with the columns of an open export.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../errors.ts';
import { buildRows } from '../../stats/answers/exported-rows.ts';
import { FIRST_DAY } from '../../vocabulary/time/periods.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import type { Call } from './operations.ts';

export const EXPORT_MEDIA = { ndjson: 'application/x-ndjson', parquet: 'application/vnd.apache.parquet' } as const;
const EARLIEST = dayOf(FIRST_DAY);
type Format = keyof typeof EXPORT_MEDIA;

export type ExportedFile = { content: Readable; bytes: number; type: string; name: string };

type Asked = { site_id: string; day: string; table: string; format: string };

/** Throws bad_request for a day that is not over, and too_many_requests. */
export async function exportDay({
  services,
  readSite,
  accountId,
  now,
  query,
}: Call<Asked, unknown>): Promise<ExportedFile> {
  const { day } = query;
  const [table, format] = [query.table as 'events' | 'ai_visits', query.format as Format];
  const site = await readSite(query.site_id);
  if (day < EARLIEST || day >= dayIn(site.timezone ?? UTC, now))
    throw new Refusal('bad_request', `day: must be ${EARLIEST} or later, and over in the time zone of the site.`);
  await services.takeExportDay(accountId);
  const of = { siteId: site.id, first: day, last: day };
  const as = format === 'ndjson' ? 'lines' : 'parquet';
  const { content, bytes } = await services.exporting.fileOf(buildRows(table, of, as), as);
  const domain = site.domain.replace(/[^a-z0-9.-]/gi, '');
  return { content, bytes, type: EXPORT_MEDIA[format], name: `${domain}_${table}_${day}.${format}` };
}

export async function sendFile(
  { content, bytes, type, name }: ExportedFile,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  });
  if (method !== 'HEAD') return pipeline(content, response);
  content.destroy();
  response.end();
}
