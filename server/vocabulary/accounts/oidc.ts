// Why logging in through the OpenID Connect issuer failed: a closed set. The server redirects to the login page with the reason's name,
// and the page shows its sentence, so no text of a request or of the issuer reaches the page.
import { t } from '../habits/messages.ts';
export const OIDC_REFUSALS = {
  unreachable: (name) =>
    t('Logging in with {name} does not work at the moment: it does not answer. Try again later.', { name }),
  refused: (name) =>
    t('The answer of {name} was not valid. Try again. If it happens again, tell whoever runs this server.', { name }),
  denied: (name) => t('{name} did not let you in, or you cancelled.', { name }),
  over: () => t('This log-in has expired, was used already, or was started in another browser. Start again.'),
  unverified: (name) =>
    t('{name} has not confirmed your e-mail address. Confirm it there, then log in again.', { name }),
  domain: () => t('E-mail addresses of your domain may not log in here. Ask whoever runs this server.'),
  taken: () =>
    t('Your e-mail address belongs to somebody else here, who logs in the same way. Ask whoever runs this server.'),
  role: (name) => t('{name} gives you no role in Footfall. Ask whoever runs this server.', { name }),
  not_a_member: () => t('You no longer belong to an account here. Ask an owner of the account to invite you again.'),
  no_account: () => t('This Footfall has no account yet. The person who runs it creates the first one.'),
  limited: () => t('Too many log-ins from your network: wait a minute.'),
} as const satisfies Record<string, (name: string) => string>;

export type OidcRefusal = keyof typeof OIDC_REFUSALS;

export const isOidcRefusal = (text: string): text is OidcRefusal => Object.hasOwn(OIDC_REFUSALS, text);
