// POST /policy-reports: browsers report violations of the dashboard's content security policy. At most one line per minute is logged, with
// the directive and what was blocked. The page's address is never logged, because it can contain a share link's token.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { readJson } from '../../process/http/body.ts';
import type { Log } from '../../process/log.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Further reports within the minute are answered without reading them. */
const READ_A_MINUTE = 60;
const TYPES = ['application/csp-report', 'application/reports+json'];

const text = z.string().max(MAX_ADDRESS);
/** Two formats: `report-uri` sends one report, `report-to` sends a list. */
const reports = z.union([
  z
    .object({ 'csp-report': z.object({ 'effective-directive': text, 'blocked-uri': text.optional() }) })
    .transform(({ 'csp-report': report }) => [
      { directive: report['effective-directive'], blocked: report['blocked-uri'] },
    ]),
  z
    .array(
      z.object({
        type: text,
        body: z.looseObject({ effectiveDirective: text.optional(), blockedURL: text.optional() }),
      }),
    )
    .max(100)
    .transform((all) =>
      all.flatMap(({ type, body }) =>
        type === 'csp-violation' ? [{ directive: body.effectiveDirective ?? '', blocked: body.blockedURL }] : [],
      ),
    ),
]);

export function openPolicyReports({ now, log }: { now(): number; log: Log }) {
  let minute = { startedAt: -Infinity, read: 0, unlogged: 0 };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new Refusal('method_not_allowed', t('The method must be POST.'));
    }
    const time = now();
    const isNew = Math.abs(time - minute.startedAt) >= MINUTE_MS;
    const { unlogged } = minute;
    if (isNew) minute = { startedAt: time, read: 0, unlogged: 0 };
    minute.read += 1;
    if (minute.read > READ_A_MINUTE) {
      minute.unlogged += 1;
      response.writeHead(204, { connection: 'close' }).end();
      return;
    }
    const parsed = reports.safeParse(await readJson(request, { maxBytes: MAX_BODY_BYTES, types: TYPES }));
    if (!parsed.success) throw new Refusal('bad_request', t('The body must be a content security policy report.'));
    response.writeHead(204).end();
    const [first] = parsed.data;
    if (!first) return;
    if (isNew)
      log.warn(
        {
          directive: plain(first.directive),
          blocked: plain(kindOf(first.blocked)),
          ...(unlogged > 0 && { unlogged_before: unlogged }),
        },
        'a browser blocked what the content security policy does not allow',
      );
    else minute.unlogged += 1;
  };
}

/** Returns the origin of a blocked address, or a keyword such as `inline` or `trusted-types-sink`. */
function kindOf(blocked = ''): string {
  const url = URL.parse(blocked);
  if (!url) return blocked;
  return url.origin === 'null' ? url.protocol : url.origin;
}

function plain(text: string): string {
  return text.replace(/[^\w:/.-]/g, '').slice(0, 100);
}
