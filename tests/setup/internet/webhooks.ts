// Webhooks as the platforms send them, recorded and shortened to the fields about orders, each with its platform's signature.
import { createHmac } from 'node:crypto';

export const SECRET = 'whsec_5f3c9e';
const hmac = (text: string, encoding: 'hex' | 'base64') => createHmac('sha256', SECRET).update(text).digest(encoding);

export type Webhook = { body: string; headers: Record<string, string> };
type Sign = (body: string, topic: string) => Record<string, string>;

const seconds = () => String(Math.floor(Date.now() / 1000));
const SIGN = {
  stripe: (body) => {
    const at = seconds();
    return { 'stripe-signature': `t=${at},v1=${hmac(`${at}.${body}`, 'hex')},v0=00` };
  },
  woocommerce: (body, topic) => ({
    'x-wc-webhook-topic': topic,
    'x-wc-webhook-source': 'https://example.com/',
    'x-wc-webhook-signature': hmac(body, 'base64'),
  }),
  shopify: (body, topic) => ({
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': 'example.myshopify.com',
    'x-shopify-hmac-sha256': hmac(body, 'base64'),
  }),
  paddle: (body) => {
    const at = seconds();
    return { 'paddle-signature': `ts=${at};h1=${hmac(`${at}:${body}`, 'hex')}` };
  },
} satisfies Record<string, Sign>;

export type Platform = keyof typeof SIGN;
export const PLATFORMS = Object.keys(SIGN) as Platform[];

function webhook(platform: Platform, sent: unknown, topic = ''): Webhook {
  const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
  return { body, headers: { 'content-type': 'application/json', ...SIGN[platform](body, topic) } };
}

const stripe = (id: string, type: string, data: object) => ({
  id,
  object: 'event',
  api_version: '2025-09-30.clover',
  created: 1795168800,
  data,
  livemode: true,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});

const wooOrder = {
  id: 727,
  parent_id: 0,
  status: 'processing',
  currency: 'EUR',
  version: '10.2.1',
  prices_include_tax: true,
  date_created: '2026-11-20T12:00:00',
  discount_total: '0.00',
  shipping_total: '4.90',
  total: '29.35',
  total_tax: '4.69',
  order_key: 'wc_order_58d2d042d1d',
  payment_method: 'stripe',
  transaction_id: 'pi_3SV',
  date_paid: '2026-11-20T13:00:07',
  date_paid_gmt: '2026-11-20T12:00:07',
  number: '727',
  line_items: [{ id: 315, name: 'Woo Single #1', product_id: 93, quantity: 2, total: '24.45' }],
  refunds: [] as object[],
};

const paddle = (event_id: string, event_type: string, data: object) => ({
  event_id,
  event_type,
  occurred_at: '2026-11-20T12:00:09.612Z',
  notification_id: 'ntf_01hv8x2azt',
  data,
});

/** An order of €29.35 and a refund of €10 on each platform: the order's number, and the webhooks. */
export const RECORDED: Record<Platform, { order: string; paid: () => Webhook; refunded: () => Webhook }> = {
  stripe: {
    order: '1001',
    paid: () =>
      webhook(
        'stripe',
        stripe('evt_1SV0paid', 'checkout.session.completed', {
          object: {
            id: 'cs_live_a1b2c3',
            object: 'checkout.session',
            amount_subtotal: 2445,
            amount_total: 2935,
            currency: 'eur',
            livemode: true,
            metadata: { order_id: '1001' },
            mode: 'payment',
            payment_intent: 'pi_3SV0',
            payment_status: 'paid',
            status: 'complete',
          },
        }),
      ),
    refunded: () =>
      webhook(
        'stripe',
        stripe('evt_3SV0refund', 'charge.refunded', {
          object: {
            id: 'ch_3SV0',
            object: 'charge',
            amount: 2935,
            amount_captured: 2935,
            amount_refunded: 1000,
            currency: 'eur',
            metadata: { order_id: '1001' },
            paid: true,
            payment_intent: 'pi_3SV0',
            refunded: false,
          },
          previous_attributes: { amount_refunded: 0 },
        }),
      ),
  },
  woocommerce: {
    order: '727',
    paid: () => webhook('woocommerce', wooOrder, 'order.updated'),
    refunded: () =>
      webhook(
        'woocommerce',
        { ...wooOrder, refunds: [{ id: 726, reason: 'Too small', total: '-10.00' }] },
        'order.updated',
      ),
  },
  shopify: {
    order: '6012345678901',
    paid: () =>
      webhook(
        'shopify',
        `{"id":6012345678901,"admin_graphql_api_id":"gid://shopify/Order/6012345678901","currency":"EUR","current_total_price":"29.35","financial_status":"paid","name":"#9999","order_number":1234,"total_price":"29.35","total_tax":"4.69","line_items":[{"id":14512345678901,"price":"24.45","quantity":1,"title":"IPod Nano - 8GB"}]}`,
        'orders/paid',
      ),
    refunded: () =>
      webhook(
        'shopify',
        `{"id":912345678901,"order_id":6012345678901,"created_at":"2026-11-20T13:10:00-05:00","note":"Too small","refund_line_items":[],"transactions":[{"id":7312345678901,"order_id":6012345678901,"kind":"refund","gateway":"bogus","status":"success","amount":"10.00","currency":"EUR"}]}`,
        'refunds/create',
      ),
  },
  paddle: {
    order: 'txn_01hv8wptq8987qeep44cyrewp9',
    paid: () =>
      webhook(
        'paddle',
        paddle('evt_01hv8x29kz', 'transaction.completed', {
          id: 'txn_01hv8wptq8987qeep44cyrewp9',
          status: 'completed',
          currency_code: 'EUR',
          customer_id: 'ctm_01hv6y1jed',
          custom_data: null,
          details: {
            totals: { subtotal: '2466', tax: '469', discount: '0', total: '2935', grand_total: '2935', fee: '197' },
          },
        }),
      ),
    refunded: () =>
      webhook(
        'paddle',
        paddle('evt_01hvgf2s84', 'adjustment.updated', {
          id: 'adj_01hvgf2s84dr6reszzg29zbvcm',
          action: 'refund',
          transaction_id: 'txn_01hv8wptq8987qeep44cyrewp9',
          status: 'approved',
          reason: 'Too small',
          currency_code: 'EUR',
          totals: { subtotal: '840', tax: '160', total: '1000', fee: '0' },
        }),
      ),
  },
};
