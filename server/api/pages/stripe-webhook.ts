// `POST /webhooks/stripe`: Stripe says that something about a customer has changed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { readBody } from '../../process/http/body.ts';
import { sendJson } from '../../process/http/respond.ts';
import type { Services } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const STRIPE_WEBHOOK_PATH = '/webhooks/stripe';
/** An event contains a whole object, such as an invoice with its lines. */
const MAX_BYTES = 512 * 1024;

export function openStripeWebhook({ payments, security }: Services) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!payments) throw new Refusal('not_found', t('Stripe is not set up on this server.'));
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new Refusal('method_not_allowed', t('The method must be POST.'));
    }
    const body = await readBody(request, MAX_BYTES);
    const signature = request.headers['stripe-signature'];
    await payments.receive(body, typeof signature === 'string' ? signature : '').catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'bad_request') security.note('webhook_refused', {});
      throw error;
    });
    sendJson(response, 200, { received: true });
  };
}
