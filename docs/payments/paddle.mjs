// Paddle Billing → Footfall. Add a notification destination with transaction.completed, adjustment.created and adjustment.updated.
// In Paddle.js, on checkout.completed, send footfall('purchase', { …, order_id: event.data.transaction_id }).
import { done, isRecent, isSigned, readPairs, refused, report } from './report.mjs';

/** @param {Request} request @param {import('./report.mjs').Settings} settings */
export async function handle(request, settings) {
  const body = await request.text();
  const { ts, h1 } = readPairs(request.headers.get('paddle-signature'), ';');
  const signed = {
    secret: settings.WEBHOOK_SECRET,
    text: `${ts}:${body}`,
    signature: h1,
    encoding: /** @type {const} */ ('hex'),
  };
  if (!isRecent(ts) || !isSigned(signed)) return refused();

  const { event_type, data } = JSON.parse(body);
  const currency = data.currency_code;
  if (event_type === 'transaction.completed') {
    const amount = inUnits(data.details.totals.grand_total, currency);
    await report(settings, { key: data.id, order: data.id, amount, currency });
  }
  // Most refunds wait for Paddle's approval: a second event (adjustment.updated) then says that they were approved.
  if (event_type.startsWith('adjustment.') && data.action === 'refund' && data.status === 'approved') {
    const amount = -inUnits(data.totals.total, currency);
    await report(settings, { key: data.id, order: data.transaction_id, amount, currency });
  }
  return done();
}

/** Amounts are strings in the currency's smallest unit. @param {string} amount @param {string} currency */
function inUnits(amount, currency) {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return Number(amount) / 10 ** maximumFractionDigits;
}
