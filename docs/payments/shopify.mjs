// Shopify → Footfall. Under Settings → Notifications → Webhooks, add "Order payment" and "Refund create" (JSON).
// In a custom pixel, on checkout_completed, send footfall('purchase', { …, order_id }) with the digits at the end of checkout.order.id.
import { done, isSigned, refused, report } from './report.mjs';

/** @param {Request} request @param {import('./report.mjs').Settings} settings */
export async function handle(request, settings) {
  const body = await request.text();
  const signature = request.headers.get('x-shopify-hmac-sha256');
  if (!isSigned({ secret: settings.WEBHOOK_SECRET, text: body, signature, encoding: 'base64' })) return refused();

  const sent = JSON.parse(body);
  const topic = request.headers.get('x-shopify-topic');
  if (topic === 'orders/paid') {
    const { id, total_price, currency } = sent;
    await report(settings, { key: `shopify-${id}`, order: id, amount: Number(total_price), currency });
  }
  if (topic === 'refunds/create')
    for (const { id, kind, status, amount, currency } of sent.transactions)
      if (kind === 'refund' && status === 'success')
        await report(settings, {
          key: `shopify-refund-${id}`,
          order: sent.order_id,
          amount: -Number(amount),
          currency,
        });
  return done();
}
