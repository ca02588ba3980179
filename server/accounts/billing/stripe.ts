// The connection to Stripe, through Stripe's own library.
import type { Stripe } from 'stripe';
import type { Config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** One attempt. The library makes a second one, so people wait for an answer at most twice as long. */
const TIMEOUT_MS = 6_000;
const RETRY_SECONDS = 60;

export type StripeClient = {
  stripe: Stripe;
  /** Awaits an answer of Stripe. Throws a Refusal that says what to do if Stripe is down, slow, or declines the card. */
  ask<T>(answer: Promise<T>): Promise<T>;
  /** The same, but returns undefined if what was asked for does not exist in Stripe. */
  find<T>(answer: Promise<T>): Promise<T | undefined>;
};

/** Loads the library only here, since it takes 0.2 s and 19 MB of memory. */
export async function openStripe(config: Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_API_URL'>): Promise<StripeClient> {
  const { default: Stripe } = await import('stripe');
  const stripe = new Stripe(config.STRIPE_SECRET_KEY ?? '', {
    ...(config.STRIPE_API_URL !== undefined && addressOf(new URL(config.STRIPE_API_URL))),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
  });
  const { StripeError } = Stripe.errors;

  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof StripeError ? (refusalOf(error) ?? error) : error;
    }
  };
  return {
    stripe,
    ask,
    find: (answer) =>
      ask(answer).catch((error: unknown) => {
        if (error instanceof StripeError && error.code === 'resource_missing') return undefined;
        throw error;
      }),
  };
}

function addressOf({ hostname, port, protocol }: URL) {
  const isPlain = protocol === 'http:';
  return {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? ('http' as const) : ('https' as const),
  };
}

/** Returns undefined for errors that are mistakes of ours or of the configuration. */
function refusalOf(error: Stripe.errors.StripeError): Refusal | undefined {
  const cause = { cause: error };
  switch (error.type) {
    case 'StripeConnectionError':
    case 'StripeAPIError':
    case 'StripeRateLimitError':
      return new Refusal(
        'service_unavailable',
        t('Stripe, which handles payments, does not answer: try again later.'),
        {
          ...cause,
          retryAfterSeconds: RETRY_SECONDS,
        },
      );
    case 'StripeCardError':
      return new Refusal(
        'bad_request',
        t('The card was declined, so nothing has changed: update the payment method, then try again.'),
        cause,
      );
    default:
      return undefined;
  }
}
