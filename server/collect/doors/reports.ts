// POST /foot with an ingest token: the site's server reports requests by agents that run no scripts. The schema below lists every allowed
// field; an IP address is not among them. `tracker/server/` sends these reports.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { readJson } from '../../process/http/body.ts';
import type { Directory } from '../../directory/open.ts';
import { siteOfIngestToken } from '../../sites/ingest.ts';
import { ADDRESS_RULE, MAX_BATCH, MAX_HEADER, SENDER_ID, SENDER_ID_RULE } from '../../vocabulary/limits.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Collector } from '../collector.ts';
import { type Hit, PLAIN_VIEW } from '../hit.ts';
import { MAX_SITE, pageUrl, problemOf } from './payload.ts';
import { parseHttp, parsePage } from '../../vocabulary/texts/url.ts';

/** Enough for a hundred reports of usual length. */
const MAX_REPORT_BYTES = 256 * 1024;
/** How far in the future a sender's clock may be. */
const AHEAD_MS = 5 * 60_000;

const header = z.string().transform((text) => text.slice(0, MAX_HEADER));

const report = z.strictObject({
  /** The domain of the token's site. */
  site: z.string().min(1).max(MAX_SITE),
  url: pageUrl,
  user_agent: header,
  /** HTTP status of the server's response. */
  status: z.int().min(100).max(599).optional(),
  /** The `Signature-Agent` header, with which agents that look like browsers identify themselves (Web Bot Auth). */
  signature_agent: header.optional(),
  /** Time of the request, within the last 24 hours; now by default. */
  time: z.iso.datetime({ offset: true, error: 'must be an instant such as 2026-12-31T12:00:00Z' }).optional(),
  /** Random id: reports with the same id within 24 hours count once. */
  id: z.string().regex(SENDER_ID, SENDER_ID_RULE).optional(),
});
type Report = z.output<typeof report>;

const batch = z.array(report).min(1).max(MAX_BATCH);

export type ReportDoor = (request: IncomingMessage, response: ServerResponse, token: string) => Promise<void> | void;

/** Returns undefined without a token: pages behind a password send `Authorization` with another scheme. */
export function bearerOf(request: IncomingMessage): string | undefined {
  return /^bearer\b(.*)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim();
}

type Options = {
  directory: Directory;
  collector: Pick<Collector, 'collectAll'>;
  /** Counts an invalid token. Throws if the address has sent too many. */
  countWrong(request: IncomingMessage, token: string): Promise<void>;
  now(): number;
};

export function openReportDoor({ directory, collector, countWrong, now }: Options): ReportDoor {
  return async (request, response, token) => {
    const time = now();
    const site = await siteOfIngestToken(directory, token, time);
    if (!site) {
      await countWrong(request, token);
      throw new Refusal(
        'unauthorized',
        'Send a valid ingest token in the header `Authorization: Bearer TOKEN`. Create one in the settings of the site.',
      );
    }
    const sent = await readJson(request, { maxBytes: MAX_REPORT_BYTES, types: ['application/json'] });
    const parsed = Array.isArray(sent) ? batch.safeParse(sent) : report.safeParse(sent);
    if (!parsed.success) throw new Refusal('bad_request', problemOf(parsed.error));
    const reports = Array.isArray(parsed.data) ? parsed.data : [parsed.data];
    // All reports are checked before the first is counted, so that a refused batch counts nothing.
    const hits = reports.map((one, index) => {
      const at = Array.isArray(parsed.data) ? `${index}.` : '';
      return toHit(one, { at, domain: site.domain, now: time });
    });
    await collector.collectAll(
      hits.map((hit) => ({ hit, site: site.domain })),
      time,
    );
    response.writeHead(202, { 'content-length': '0', 'cache-control': 'no-store' }).end();
  };
}

function toHit(one: Report, { at, domain, now }: { at: string; domain: string; now: number }): Hit {
  if (domainToASCII(one.site) !== domain)
    throw new Refusal('bad_request', `${at}site: must be ${domain}, the site of the token.`);
  const page = parsePage(one.url);
  const url = parseHttp(one.url);
  if (!page || !url) throw new Refusal('bad_request', `${at}url: ${ADDRESS_RULE}.`);
  const time = one.time === undefined ? now : Date.parse(one.time);
  if (time < now - DAY_MS || time > now + AHEAD_MS)
    throw new Refusal(
      'bad_request',
      `${at}time: must be within the last 24 hours; import older requests from an access log.`,
    );
  return {
    ...PLAIN_VIEW,
    door: 'report',
    page,
    target: url.pathname + url.search,
    time: Math.min(time, now),
    id: one.id,
    userAgent: one.user_agent,
    headers: { 'signature-agent': one.signature_agent },
    status: one.status ?? 0,
  };
}
