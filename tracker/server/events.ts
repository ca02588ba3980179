// Events and payments from a site's own server, with an API key. Retries are safe: each call has an idempotency key.
import { type Answer, type ApiOptions, type CallOptions, openApi, type Sent } from '../api/client.ts';

type Details = Omit<Sent<'recordEvent'>, 'site_id' | 'name'>;
/** `amount` in units of the currency, more than 0. `name`: the event; default `purchase`, or `refund`. */
type Payment = Omit<Details, 'revenue' | 'order_id'> & {
  name?: string | undefined;
  order_id: string;
  amount: number;
  currency: string;
};
type Recorded = Promise<Answer<'recordEvent'>['data']>;

type Events = {
  /** `accepted` is false if the site is paused or over its quota. Throws FootfallError. */
  event(name: string, details: Details, options?: CallOptions): Recorded;
  /** An order counts once, ever, and replaces what a browser has reported of it. */
  payment(payment: Payment, options?: CallOptions): Recorded;
  /** An order can be refunded in parts, so give each refund an `idempotencyKey` if it may be reported again. */
  refund(payment: Payment, options?: CallOptions): Recorded;
};

/** `site_id`: as `GET /v1/sites` lists it. */
export function openEvents({ site_id, ...options }: ApiOptions & { site_id: string }): Events {
  const api = openApi(options);
  const event: Events['event'] = async (name, details, call) =>
    (await api.recordEvent({ site_id, name, ...details }, call)).data;
  const pay = (usualName: string, { name = usualName, amount, currency, ...details }: Payment, call?: CallOptions) =>
    event(name, { ...details, revenue: { amount, currency } }, call);
  return {
    event,
    payment: (payment, call) => pay('purchase', payment, call),
    refund: (payment, call) => pay('refund', { ...payment, amount: -payment.amount }, call),
  };
}
