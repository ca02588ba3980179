// Our address, as browsers bind passkeys to it.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../errors.ts';
import type { RelyingParty } from './passkeys.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

/** For a request whose origin `sign-in/trusted-origin.ts` has checked, so that it is our own. */
export function partyOf({ origin }: IncomingHttpHeaders): RelyingParty {
  const url = origin === undefined ? null : URL.parse(origin);
  if (!url) throw new Refusal('bad_request', t('Passkeys work only from a page of Footfall.'));
  return { id: url.hostname, origin: url.origin };
}
