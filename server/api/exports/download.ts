// /export/EXPORT_ID.zip: the file of an export, for owners of its account. Only a part of it is sent if the request asks for one, so that an
// interrupted download can go on (RFC 9110, 14).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Export, getExport } from '../../accounts/exports.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import { accountFor } from '../../sites/access.ts';
import { siteById } from '../../sites/sites.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import type { Services } from '../trpc.ts';
import { readViewer } from '../viewer.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const PATH = /^\/export\/(export_[0-9A-Z]+)\.(?:zip|sealed)$/;
export const isDownload = ({ pathname }: URL): boolean => PATH.test(pathname);

/** A file of one site that is sealed is no archive. */
const extensionOf = ({ kind, site_id }: Pick<Export, 'kind' | 'site_id'>) =>
  kind === 'sealed' && site_id !== null ? 'sealed' : 'zip';

export const addressOf = (one: Pick<Export, 'id' | 'kind' | 'site_id'>): string =>
  `/export/${one.id}.${extensionOf(one)}`;

export function openDownload(services: Services) {
  const { directory, config } = services;

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    response.setHeader('cache-control', 'no-store');
    const [, id = ''] = PATH.exec(url.pathname) ?? [];
    checkIsRead(request, response);
    const viewer = await readViewer(services, request.headers, () => services.addressHashOf(request));
    if (viewer?.kind !== 'user') throw new Refusal('unauthorized', t('Log in to download an export.'));
    const now = services.now();
    const one = await getExport(directory, id, now);
    const options = { now, billing: billingOf(config), evenExpired: true };
    await accountFor(directory, viewer, { accountId: one.account_id }, 'owner', options);
    if (one.state !== 'ready') throw new Refusal('not_found', t('This export is not ready yet.'));

    const etag = `"${one.id}"`;
    const span = spanOf(request, { bytes: one.bytes, etag });
    const isWhole = span === 'whole';
    const headers = {
      'content-type': extensionOf(one) === 'zip' ? 'application/zip' : 'application/octet-stream',
      'content-disposition': `attachment; filename="${await fileName(services, one)}"`,
      'accept-ranges': 'bytes',
      etag,
    };
    if (span === undefined) {
      response.writeHead(416, { 'content-range': `bytes */${one.bytes}` }).end();
      return;
    }
    const { first, last } = isWhole ? { first: 0, last: one.bytes - 1 } : span;
    const isHead = request.method === 'HEAD';
    const content = isHead ? undefined : await services.exporting.read(one, { first, last });
    response.writeHead(isWhole ? 200 : 206, {
      ...headers,
      'content-length': last - first + 1,
      ...(!isWhole && { 'content-range': `bytes ${first}-${last}/${one.bytes}` }),
    });
    if (content) await pipeline(content, response).catch(unlessLeft);
    else response.end();
  };
}

/** Whoever asked has left: that is no failure of ours. */
function unlessLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

async function fileName({ directory }: Services, one: Export): Promise<string> {
  const site = one.site_id === null ? undefined : await siteById(directory, one.site_id);
  const what = (site?.domain ?? 'footfall').replace(/[^a-z0-9.-]/gi, '');
  return `${what}-${dayOf(one.created_at)}.${extensionOf(one)}`;
}

/**
 * The bytes that a request asks for: `whole` without a range, for one of another file, and for several ranges, which may be answered so.
 * Undefined for a range that the file does not have.
 */
function spanOf(
  { headers }: IncomingMessage,
  { bytes, etag }: { bytes: number; etag: string },
): 'whole' | { first: number; last: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const ifRange = headers['if-range'];
  if ((from === '' && to === '') || (ifRange !== undefined && ifRange !== etag)) return 'whole';
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return first <= last ? { first, last } : undefined;
}
