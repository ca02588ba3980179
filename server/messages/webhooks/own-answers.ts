// What Footfall itself notes as the answer to a delivery that no receiver answered. It is kept in English, and read in the reader's language.
import { inHabits } from '../../process/habits.ts';
import type { Failure } from '../../process/outgoing/client.ts';
import { USUAL_HABITS } from '../../vocabulary/habits/habits.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** The longest time that one attempt may take. */
export const ATTEMPT_MS = 15_000;
/** Deliveries of one account that may wait. */
export const MAX_WAITING = 1000;

type OwnAnswer = Failure | 'no_address' | 'not_written' | 'stopped' | 'switched_off' | 'too_many';

const OWN: Record<OwnAnswer, () => string> = {
  address_refused: () => t('The address leads into a private network, which Footfall does not enter.'),
  no_such_host: () => t('The host has no address: check its name.'),
  unreachable: () => t('The host accepts no connection.'),
  certificate: () => t('The host does not speak TLS, or its certificate is not valid.'),
  malformed: () => t('The host’s answer is not HTTP.'),
  too_many_redirects: () => t('The host redirects too often.'),
  timeout: () => t('The host did not answer within {seconds} seconds.', { seconds: ATTEMPT_MS / 1000 }),
  busy: () => t('This server was busy.'),
  no_address: () =>
    t('This server can no longer read the webhook’s address: SECRET_KEY has changed. Create the webhook anew.'),
  not_written: () => t('This message could not be written.'),
  stopped: () => t('Footfall was stopped during this attempt.'),
  switched_off: () => t('The webhook is switched off, because its receiver answered 410 Gone.'),
  too_many: () => t('Not sent: {count} deliveries of this account were waiting.', { count: MAX_WAITING }),
};

const redirects = (host: string): string =>
  t('Redirects to {host}: redirects are not followed, so enter the final address.', { host });

/** As it is kept. */
export const ownAnswer = (name: OwnAnswer): string => inHabits(USUAL_HABITS, OWN[name]);

export const redirectAnswer = (host: string): string => inHabits(USUAL_HABITS, () => redirects(host));

const known = new Map((Object.keys(OWN) as OwnAnswer[]).map((name) => [ownAnswer(name), OWN[name]]));
/** As it is read: what a receiver answered stays. */
export function readAnswer(answer: string | null): string | null {
  const [, host] = /^Redirects to (\S+): redirects are not followed,/.exec(answer ?? '') ?? [];
  if (host !== undefined) return redirects(host);
  return (answer === null ? undefined : known.get(answer))?.() ?? answer;
}
