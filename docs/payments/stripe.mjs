// Stripe → Footfall. Subscribe the webhook to checkout.session.completed, checkout.session.async_payment_succeeded and charge.refunded.
// Create the Checkout Session with the order number, so that Stripe sends it back:
//   metadata: { order_id }, payment_intent_data: { metadata: { order_id } }
import { done, isRecent, isSigned, readPairs, refused, report } from './report.mjs';

/** Amounts are in the smallest unit. Stripe's documentation lists the currencies without one, and those with three decimal places. */
const WHOLE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const THOUSANDTHS = 'BHD JOD KWD OMR TND'.split(' ');

/** @param {Request} request @param {import('./report.mjs').Settings} settings */
export async function handle(request, settings) {
  const body = await request.text();
  const { t, v1 } = readPairs(request.headers.get('stripe-signature'), ',');
  const signed = {
    secret: settings.WEBHOOK_SECRET,
    text: `${t}.${body}`,
    signature: v1,
    encoding: /** @type {const} */ ('hex'),
  };
  if (!isRecent(t) || !isSigned(signed)) return refused();

  const { type, data } = JSON.parse(body);
  const { object } = data;
  const order = object.metadata?.order_id;
  if (order === undefined) return done();
  if (type.startsWith('checkout.session.') && object.payment_status === 'paid') {
    const amount = inUnits(object.amount_total, object.currency);
    await report(settings, { key: object.id, order, amount, currency: object.currency });
  }
  if (type === 'charge.refunded') {
    // A charge holds the sum of its refunds, so only what was added since the last webhook is reported.
    const before = data.previous_attributes?.amount_refunded ?? 0;
    const amount = -inUnits(object.amount_refunded - before, object.currency);
    await report(settings, { key: `${object.id}-${object.amount_refunded}`, order, amount, currency: object.currency });
  }
  return done();
}

/** @param {number} amount @param {string} currency */
function inUnits(amount, currency) {
  const code = currency.toUpperCase();
  return WHOLE.includes(code) ? amount : amount / (THOUSANDTHS.includes(code) ? 1000 : 100);
}
