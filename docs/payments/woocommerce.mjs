// WooCommerce → Footfall. Under WooCommerce → Settings → Advanced → Webhooks, add one with the topic "Order updated".
// On the "order received" page, send footfall('purchase', { …, order_id: 'ORDER ID' }) with the id of the order.
import { done, isSigned, refused, report } from './report.mjs';

/** @param {Request} request @param {import('./report.mjs').Settings} settings */
export async function handle(request, settings) {
  const body = await request.text();
  if (/^webhook_id=\d+$/.test(body)) return done(); // a ping without a signature, sent when the webhook is saved
  const signature = request.headers.get('x-wc-webhook-signature');
  if (!isSigned({ secret: settings.WEBHOOK_SECRET, text: body, signature, encoding: 'base64' })) return refused();

  const { id, currency, total, date_paid_gmt, refunds = [] } = JSON.parse(body);
  if (!date_paid_gmt) return done();
  await report(settings, { key: `woocommerce-${id}`, order: id, amount: Number(total), currency });
  // Each update of an order lists all of its refunds. Their keys make sure that each counts once.
  for (const refund of refunds)
    await report(settings, {
      key: `woocommerce-refund-${refund.id}`,
      order: id,
      amount: Number(refund.total),
      currency,
    });
  return done();
}
