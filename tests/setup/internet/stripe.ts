// A local server that answers as Stripe's published API does, for the official library: it checks the key and the parameters, refuses what
// Stripe refuses, and answers with the same objects and errors. Its events are signed by the library's own function.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { stripePages } from './stripe-pages.ts';

const KEY = 'sk_test_local';
const SECRET = 'whsec_local';
const PRICES = { starter: 'price_starter', pro: 'price_pro' } as const;

type Fields = Record<string, unknown>;
export type StripeObject = Fields & { id: string; object: string };
export type StripeSubscription = StripeObject & {
  customer: string;
  status: string;
  created: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  ended_at: number | null;
  metadata: Record<string, string>;
  latest_invoice: string | null;
  items: { data: (StripeObject & { price: StripeObject; current_period_start: number; current_period_end: number })[] };
};
type Answer = { status: number; body: unknown };

const PERIOD_SECONDS = (30 * DAY_MS) / 1000;

class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, error: { type: string; code?: string; message: string; param?: string }) {
    super(error.message);
    this.answer = { status, body: { error } };
  }
}
const invalid = (message: string, code = 'parameter_invalid', status = 400) =>
  new Refused(status, { type: 'invalid_request_error', code, message });
const missing = (what: string, id: string) => invalid(`No such ${what}: '${id}'`, 'resource_missing', 404);
const listOf = (url: string, data: unknown[]) => ({ object: 'list', url, has_more: false, data });

/** The parameters that each operation takes here. Stripe refuses others, too. */
const OPERATIONS: [method: string, path: RegExp, parameters: RegExp][] = [
  ['GET', /^\/v1\/prices\/(\w+)$/, /^$/],
  ['POST', /^\/v1\/customers$/, /^(email|name|metadata\[\w+\])$/],
  ['GET', /^\/v1\/customers\/(\w+)$/, /^$/],
  ['DELETE', /^\/v1\/customers\/(\w+)$/, /^$/],
  ['GET', /^\/v1\/subscriptions$/, /^(customer|status|limit|expand\[\d\])$/],
  [
    'POST',
    /^\/v1\/subscriptions\/(\w+)$/,
    /^(items\[0\]\[(id|price)\]|metadata\[\w+\]|cancel_at_period_end|cancel_at|proration_behavior|payment_behavior)$/,
  ],
  ['GET', /^\/v1\/checkout\/sessions$/, /^(customer|status|limit)$/],
  [
    'POST',
    /^\/v1\/checkout\/sessions$/,
    /^(mode|customer|client_reference_id|line_items\[0\]\[(price|quantity)\]|success_url|cancel_url|automatic_tax\[enabled\]|tax_id_collection\[enabled\]|customer_update\[(address|name)\]|billing_address_collection|subscription_data\[metadata\]\[\w+\])$/,
  ],
  ['POST', /^\/v1\/checkout\/sessions\/(\w+)\/expire$/, /^$/],
  ['POST', /^\/v1\/billing_portal\/sessions$/, /^(customer|return_url)$/],
  ['GET', /^\/v1\/invoices$/, /^(customer|limit)$/],
];

export type StripeServer = Awaited<ReturnType<typeof startStripe>>;

export async function startStripe({ now }: { now(): number }) {
  const seconds = () => Math.floor(now() / 1000);
  let serial = 0;
  const idOf = (prefix: string) => `${prefix}_${String((serial += 1)).padStart(8, '0')}`;
  const customers = new Map<string, StripeObject>();
  const subscriptions = new Map<string, StripeSubscription>();
  const sessions = new Map<string, StripeObject>();
  const invoices = new Map<string, StripeObject>();
  const repeats = new Map<string, { parameters: string; answer: Answer }>();
  const requests: string[] = [];
  const events: (StripeObject & { data: { object: object } })[] = [];
  /** What a test decides: whether Stripe answers, whether cards are declined, and what becomes of deleted customers' subscriptions. */
  const mood = {
    isDown: false,
    declines: false,
    listsDeleted: true,
    /** Called once an answer is made, and awaited before it is sent. */
    hold: (_request: string): Promise<unknown> => Promise.resolve(),
  };

  const price = (id: string) => {
    const amount = { [PRICES.starter]: 900, [PRICES.pro]: 1900 }[id];
    if (amount === undefined) throw missing('price', id);
    return {
      id,
      object: 'price',
      unit_amount: amount,
      currency: 'eur',
      tax_behavior: 'exclusive',
      type: 'recurring',
      recurring: { interval: 'month', interval_count: 1 },
    };
  };
  const emit = (type: string, object: StripeObject) => {
    const event = { id: idOf('evt'), object: 'event', type, created: seconds(), data: { object: { ...object } } };
    events.push(event);
    return event;
  };
  const addInvoice = (subscription: StripeSubscription, status: 'paid' | 'open', total: number) => {
    const id = idOf('in');
    invoices.set(id, {
      id,
      object: 'invoice',
      customer: subscription.customer,
      number: `F-${id.slice(-4)}`,
      created: seconds(),
      status,
      total,
      currency: 'eur',
      hosted_invoice_url: `${url}/i/${id}`,
      invoice_pdf: `${url}/i/${id}/pdf`,
      status_transitions: { finalized_at: seconds() },
    });
    subscription.latest_invoice = id;
    return invoices.get(id) as StripeObject;
  };
  const subscriptionOf = (id: string) => {
    const subscription = subscriptions.get(id);
    if (!subscription) throw missing('subscription', id);
    return subscription;
  };
  const customerFrom = (id: string | undefined) => {
    const customer = customers.get(id ?? '');
    if (!customer || customer['deleted']) throw missing('customer', id ?? '');
    return customer;
  };

  function subscribe(customer: string, priceId: string, metadata: Record<string, string>): StripeSubscription {
    const start = seconds();
    const item = { id: idOf('si'), object: 'subscription_item', price: price(priceId) };
    const period = { current_period_start: start, current_period_end: start + PERIOD_SECONDS };
    const subscription: StripeSubscription = {
      id: idOf('sub'),
      object: 'subscription',
      customer,
      status: 'active',
      created: start,
      metadata,
      cancel_at: null,
      cancel_at_period_end: false,
      ended_at: null,
      latest_invoice: null,
      items: { ...listOf('/v1/subscription_items', []), data: [{ ...item, ...period }] },
    };
    subscriptions.set(subscription.id, subscription);
    addInvoice(subscription, 'paid', price(priceId).unit_amount);
    emit('customer.subscription.created', subscription);
    return subscription;
  }

  function end(subscription: StripeSubscription): void {
    Object.assign(subscription, { status: 'canceled', ended_at: seconds() });
    emit('customer.subscription.deleted', subscription);
  }

  function update(id: string, given: Map<string, string>): StripeSubscription {
    const subscription = subscriptionOf(id);
    if (subscription.status === 'canceled') throw invalid('A canceled subscription can only update its metadata.');
    if (given.has('cancel_at') && given.has('cancel_at_period_end'))
      throw invalid('You can only set one of cancel_at and cancel_at_period_end.');
    const [item] = subscription.items.data;
    const next = given.get('items[0][price]');
    if (item && next !== undefined) {
      if (given.get('items[0][id]') !== item.id) throw missing('subscription item', given.get('items[0][id]') ?? '');
      if (mood.declines && given.get('payment_behavior') === 'error_if_incomplete')
        throw new Refused(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' });
      const difference = price(next).unit_amount - Number(item.price['unit_amount']);
      if (given.get('proration_behavior') === 'always_invoice') addInvoice(subscription, 'paid', difference);
      item.price = price(next);
    }
    Object.assign(subscription.metadata, metadataIn(given, 'metadata'));
    const atEnd = given.get('cancel_at_period_end');
    if (atEnd !== undefined) {
      subscription.cancel_at_period_end = atEnd === 'true';
      subscription.cancel_at = atEnd === 'true' ? (item?.current_period_end ?? null) : null;
    }
    if (given.has('cancel_at')) subscription.cancel_at = Number(given.get('cancel_at')) || null;
    emit('customer.subscription.updated', subscription);
    return subscription;
  }

  function createSession(given: Map<string, string>): StripeObject {
    const customer = customerFrom(given.get('customer'));
    if (given.get('automatic_tax[enabled]') === 'true' && given.get('customer_update[address]') !== 'auto')
      throw invalid('Automatic tax needs the address of the customer: set customer_update[address] to auto.');
    if (given.get('tax_id_collection[enabled]') === 'true' && given.get('customer_update[name]') !== 'auto')
      throw invalid('Tax ID collection requires updating business name on the customer.');
    const id = idOf('cs');
    sessions.set(id, {
      id,
      object: 'checkout.session',
      status: 'open',
      customer: customer.id,
      url: `${url}/c/pay/${id}`,
      success_url: given.get('success_url'),
      cancel_url: given.get('cancel_url'),
      price: price(given.get('line_items[0][price]') ?? '').id,
      reference: given.get('client_reference_id'),
      metadata: metadataIn(given, 'subscription_data[metadata]'),
    });
    return sessions.get(id) as StripeObject;
  }

  function expire(id: string): StripeObject {
    const session = sessions.get(id);
    if (!session) throw missing('checkout session', id);
    if (session['status'] !== 'open') throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
    return Object.assign(session, { status: 'expired' });
  }

  function answerTo(method: string, path: string, given: Map<string, string>): unknown {
    const operation = OPERATIONS.find(([verb, pattern]) => verb === method && pattern.test(path));
    if (!operation) throw invalid(`Unrecognized request URL (${method}: ${path}).`, 'url_invalid', 404);
    for (const name of given.keys())
      if (!operation[2].test(name)) throw invalid(`Received unknown parameter: ${name}`, 'parameter_unknown');
    const [, kind = '', id = '', action] = path.slice(3).split(/\/(?!sessions)/);
    const ofCustomer = <T extends StripeObject>(all: Map<string, T>) =>
      [...all.values()].filter((one) => one['customer'] === given.get('customer')).reverse();
    switch (`${method} ${kind}${id && ' id'}${action ? ` ${action}` : ''}`) {
      case 'GET prices id':
        return price(id);
      case 'POST customers': {
        const customer = { id: idOf('cus'), object: 'customer', email: given.get('email'), name: given.get('name') };
        customers.set(customer.id, customer);
        return customer;
      }
      case 'GET customers id': {
        const customer = customers.get(id);
        if (!customer) throw missing('customer', id);
        return customer;
      }
      case 'DELETE customers id': {
        const customer = customerFrom(id);
        for (const one of subscriptions.values()) if (one.customer === id && one.status !== 'canceled') end(one);
        emit('customer.deleted', customer);
        customers.set(id, { id, object: 'customer', deleted: true });
        return customers.get(id);
      }
      case 'GET subscriptions': {
        const customer = customers.get(given.get('customer') ?? '');
        if (!customer || (customer['deleted'] && !mood.listsDeleted)) throw missing('customer', String(customer?.id));
        const expanded = ofCustomer(subscriptions).map((one) => ({
          ...one,
          latest_invoice: invoices.get(one.latest_invoice ?? '') ?? null,
        }));
        return listOf(path, expanded);
      }
      case 'POST subscriptions id':
        return update(id, given);
      case 'GET checkout/sessions':
        return listOf(
          path,
          ofCustomer(sessions).filter(({ status }) => status === given.get('status')),
        );
      case 'POST checkout/sessions':
        return createSession(given);
      case 'POST checkout/sessions id expire':
        return expire(id);
      case 'POST billing_portal/sessions': {
        const portal = { customer: customerFrom(given.get('customer')).id, return_url: given.get('return_url') };
        const back = encodeURIComponent(portal.return_url ?? '');
        return { id: idOf('bps'), object: 'billing_portal.session', ...portal, url: `${url}/p?back=${back}` };
      }
      case 'GET invoices':
        return listOf(path, ofCustomer(invoices));
      default:
        throw invalid(`Unrecognized request URL (${method}: ${path}).`, 'url_invalid', 404);
    }
  }

  /** Stripe answers a repeated idempotency key with its first answer, and refuses it with other parameters. */
  function answerOnce(request: IncomingMessage, path: string, parameters: string): Answer {
    const key = request.headers['idempotency-key'];
    const earlier = typeof key === 'string' && repeats.get(key);
    if (earlier) {
      if (earlier.parameters === parameters) return earlier.answer;
      throw new Refused(400, { type: 'idempotency_error', message: 'Keys must be used with the same parameters.' });
    }
    const body = answerTo(request.method ?? '', path, new Map(new URLSearchParams(parameters)));
    const answer = { status: 200, body: structuredClone(body) };
    if (typeof key === 'string') repeats.set(key, { parameters, answer });
    return answer;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    if (!pathname.startsWith('/v1/')) return stripePages(request, response, { sessions, complete: pay });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push(`${request.method} ${pathname}`);
    if (mood.isDown) {
      request.socket.destroy();
      return;
    }
    const { status, body } = outcomeOf(() => {
      if (request.headers.authorization !== `Bearer ${KEY}`)
        throw new Refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
      return answerOnce(request, pathname, Buffer.concat(chunks).toString() || searchParams.toString());
    });
    const text = JSON.stringify(body);
    await mood.hold(`${request.method} ${pathname}`);
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': idOf('req') });
    response.end(text);
  }

  /** What somebody does who pays on the page of a Checkout session. Returns where Stripe sends them. */
  function pay(sessionId: string): string {
    const session = sessions.get(sessionId);
    if (session?.['status'] !== 'open') throw new Error(`The Checkout session ${sessionId} is not open.`);
    session['status'] = 'complete';
    subscribe(String(session['customer']), String(session['price']), session['metadata'] as Record<string, string>);
    emit('checkout.session.completed', session);
    return String(session['success_url']);
  }

  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const library = new Stripe(KEY);

  return {
    url,
    env: {
      STRIPE_SECRET_KEY: KEY,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: url,
      STRIPE_PRICE_STARTER: PRICES.starter,
      STRIPE_PRICE_PRO: PRICES.pro,
    },
    mood,
    requests,
    customers,
    subscriptions,
    sessions,
    invoices,
    /** All events so far, oldest first. Nothing delivers them but the test. */
    events,
    emit,
    pay,
    subscribe,
    end,
    /** The next period begins, and its invoice is paid, or not. */
    renew(subscription: StripeSubscription, payment: 'paid' | 'failed') {
      const [item] = subscription.items.data;
      if (!item) throw new Error('The subscription has no item.');
      const start = item.current_period_end;
      Object.assign(item, { current_period_start: start, current_period_end: start + PERIOD_SECONDS });
      subscription.status = payment === 'paid' ? 'active' : 'past_due';
      const invoice = addInvoice(subscription, payment === 'paid' ? 'paid' : 'open', Number(item.price['unit_amount']));
      emit(payment === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoice);
      return emit('customer.subscription.updated', subscription);
    },
    /** The open invoice is paid after all. */
    settle(subscription: StripeSubscription) {
      const invoice = invoices.get(subscription.latest_invoice ?? '');
      if (invoice) invoice['status'] = 'paid';
      subscription.status = 'active';
      return emit('invoice.paid', invoice ?? subscription);
    },
    /** The body and the header of an event, signed as Stripe signs it. */
    signed(event: object, { secret = SECRET, at = now() }: { secret?: string; at?: number } = {}) {
      const payload = JSON.stringify(event);
      const timestamp = Math.floor(at / 1000);
      return { payload, signature: library.webhooks.generateTestHeaderString({ payload, secret, timestamp }) };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function metadataIn(given: Map<string, string>, name: string): Record<string, string> {
  const entries = [...given].filter(([key]) => key.startsWith(`${name}[`));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(name.length + 1, -1), value]));
}

function outcomeOf(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}
