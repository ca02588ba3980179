// Converts the events of POST /v1/events to hits. Events from servers have no visitor, place or browser.
import { type Hit, PLAIN_VIEW } from '../../collect/hit.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import { MAX_KEY, MAX_ORDER, MAX_VALUE } from '../../vocabulary/limits.ts';
import { cleanText } from '../../vocabulary/texts/spelling.ts';
import { refused } from './params.ts';
import type { SentEvent } from './requests.ts';

/** `id` identifies a retry of the same event. Undefined if the sender gave no Idempotency-Key. */
export function toHit(sent: SentEvent, { id, time }: { id: string | undefined; time: number }): Hit {
  const { url, name, props = {}, revenue, order_id = '' } = sent;
  const page = parsePage(url);
  if (!page) throw refused('url', 'must be an absolute http or https address');
  const order = cleanText(order_id, MAX_ORDER);
  const paid = revenue && { amount: revenue.amount.toFixed(4), currency: revenue.currency };
  return { ...PLAIN_VIEW, door: 'api', name, page, time, id, props: cleanProps(props), revenue: paid, order };
}

function cleanProps(props: Record<string, string | number>): Record<string, string> {
  const cleaned = Object.entries(props).map(([key, value]) => [
    cleanText(key, MAX_KEY),
    typeof value === 'number' ? String(value) : cleanText(value, MAX_VALUE),
  ]);
  return Object.fromEntries(cleaned) as Record<string, string>;
}
