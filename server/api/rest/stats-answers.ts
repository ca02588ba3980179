// Answers queries about a site's numbers: caches the answers briefly, and gives them an ETag.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inDays, type Site } from '../../sites/sites.ts';
import { timesOf } from '../../stats/sql/scope.ts';
import { currencyOf } from '../../stats/answers/values.ts';
import type { Services } from '../trpc.ts';
import { type Answer, etagOf, isKnownTag, openAnswers } from './answer-cache.ts';
import type { Call, Operation, Result } from './operations.ts';
import { rangeOf } from './params.ts';

/** Lets clients cache numbers for a minute, as this server does. */
const STATS_HEADERS = { 'cache-control': 'private, max-age=60', vary: 'Authorization' };

type Asked = {
  operation: Operation;
  call: Call<Record<string, unknown>, unknown>;
  work(site: Site, signal: AbortSignal): Promise<Result>;
};

/** JSON text. Only numbers of sites have an ETag. */
export type GivenAnswer = Omit<Answer, 'etag'> & Partial<Answer>;

/** `work` queries the event store, unless the same answer is in the cache. */
export function openStatsAnswers({ versionOf }: Pick<Services, 'versionOf'>) {
  const answers = openAnswers(versionOf);
  return async ({ operation, call, work }: Asked, signal: AbortSignal): Promise<Answer> => {
    const site = await call.siteOf(String(call.query['site_id']));
    const question = {
      siteId: site.id,
      // every query has a period
      range: timesOf(rangeOf(call.query as Parameters<typeof rangeOf>[0], inDays(site, call.query), call.now)),
      text: JSON.stringify([operation.id, currencyOf(site), site.max_amount, site.timezone, call.query]),
    };
    return answers(question, call.now, {
      signal,
      work: async (signal) => {
        const text = JSON.stringify(await work(site, signal));
        return { text, etag: etagOf(text) };
      },
    });
  };
}

/** Sends 304 to a client that already has the answer. */
export function sendStats(
  { text, etag }: Answer,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  if (isKnownTag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ...STATS_HEADERS, etag }).end();
    return;
  }
  response.writeHead(200, {
    ...STATS_HEADERS,
    etag,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
