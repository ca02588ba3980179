// Shared by the four recipes: checks who sent a webhook, and reports its payment to Footfall. Runs on Node 20, Deno, Bun and Workers.
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The settings, for example environment variables:
 * FOOTFALL_URL   https://stats.example.com
 * FOOTFALL_KEY   an API key, ff_…
 * FOOTFALL_SITE  the id of the site, site_…
 * SHOP_URL       the page that orders are counted on, https://example.com/checkout
 * WEBHOOK_SECRET the secret that the platform shows for the webhook
 * @typedef {Record<'FOOTFALL_URL' | 'FOOTFALL_KEY' | 'FOOTFALL_SITE' | 'SHOP_URL' | 'WEBHOOK_SECRET', string>} Settings
 */

/**
 * Reports one payment, or a refund as a negative amount. Throws if Footfall did not accept it: the platform then sends the webhook again.
 * @param {Settings} settings
 * @param {{ key: string, order: string | number, amount: number, currency: string }} payment `key`: the same on every attempt.
 */
export async function report(settings, { key, order, amount, currency }) {
  const response = await fetch(`${settings.FOOTFALL_URL}/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${settings.FOOTFALL_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({
      site_id: settings.FOOTFALL_SITE,
      url: settings.SHOP_URL,
      name: amount < 0 ? 'refund' : 'purchase',
      revenue: { amount, currency: currency.toUpperCase() },
      order_id: String(order),
    }),
  });
  if (!response.ok) throw new Error(`Footfall answered ${response.status}: ${await response.text()}`);
}

/**
 * True when `signature` is the HMAC-SHA-256 of `text`.
 * @param {{ secret: string, text: string, signature: string | null | undefined, encoding: 'hex' | 'base64' }} signed
 */
export function isSigned({ secret, text, signature, encoding }) {
  const expected = createHmac('sha256', secret).update(text).digest();
  const given = Buffer.from(signature ?? '', encoding);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** False for an old webhook, which may have been captured and replayed. @param {string | undefined} seconds since the epoch */
export function isRecent(seconds) {
  return Math.abs(Date.now() / 1000 - Number(seconds)) < 300;
}

/** Reads `a=1,b=2`. @param {string | null} header @param {string} separator @returns {Record<string, string | undefined>} */
export function readPairs(header, separator) {
  return Object.fromEntries((header ?? '').split(separator).map((pair) => pair.trim().split('=', 2)));
}

export const refused = () => new Response('The signature is wrong.\n', { status: 400 });
export const done = () => new Response(null, { status: 204 });
