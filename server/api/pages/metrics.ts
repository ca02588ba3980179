// The measurements of this process, for whoever has METRICS_TOKEN. Without that variable there is nothing here.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** `render` returns the text that Prometheus reads. */
export type MetricsPage = { token: string; render(): Promise<string> };

export function openMetricsPage(page: MetricsPage | undefined) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!page) throw new Refusal('not_found', t('There is nothing at this address.'));
    const [, given = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!isSame(given, page.token))
      throw new Refusal('unauthorized', t('Send METRICS_TOKEN in the header `Authorization: Bearer TOKEN`.'));
    const text = await page.render();
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(text);
  };
}

/** Compares hashes, so that the time says nothing about the token. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}
