// POST /policy-reports: what browsers say broke the dashboard's policy. A line a minute in the log at most, with the directive and the
// kind of thing that was blocked. Never the page's address: a share link's token is in it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { readJson } from '../http/body.ts';
import type { Log } from '../log.ts';
import { MINUTE_MS } from '../vocabulary/time.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Read in a minute; more are answered unread. */
const READ_A_MINUTE = 60;
const TYPES = ['application/csp-report', 'application/reports+json'];

const text = z.string().max(2_048);
/** The form of `report-uri`, and that of `report-to`, which sends several at once. */
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
  let minute = { startedAt: -Infinity, read: 0, unsaid: 0 };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new Refusal('method_not_allowed', 'The method must be POST.');
    }
    const time = now();
    const isNew = Math.abs(time - minute.startedAt) >= MINUTE_MS;
    const { unsaid } = minute;
    if (isNew) minute = { startedAt: time, read: 0, unsaid: 0 };
    minute.read += 1;
    if (minute.read > READ_A_MINUTE) {
      minute.unsaid += 1;
      response.writeHead(204, { connection: 'close' }).end();
      return;
    }
    const parsed = reports.safeParse(await readJson(request, { maxBytes: MAX_BODY_BYTES, types: TYPES }));
    if (!parsed.success) throw new Refusal('bad_request', 'The body must be a report of a content security policy.');
    response.writeHead(204).end();
    const [first] = parsed.data;
    if (!first) return;
    if (isNew)
      log.warn(
        {
          directive: plain(first.directive),
          blocked: plain(kindOf(first.blocked)),
          ...(unsaid > 0 && { unlogged_before: unsaid }),
        },
        'a browser blocked what the policy does not allow',
      );
    else minute.unsaid += 1;
  };
}

/** The origin of an address, or a word such as `inline` or `trusted-types-sink`. */
function kindOf(blocked = ''): string {
  const url = URL.parse(blocked);
  if (!url) return blocked;
  return url.origin === 'null' ? url.protocol : url.origin;
}

function plain(said: string): string {
  return said.replace(/[^\w:/.-]/g, '').slice(0, 100);
}
