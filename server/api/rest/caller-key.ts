// Finds the API key of a request, with at most one lookup per second. Wrong keys count against the caller's address.
import type { IncomingMessage } from 'node:http';
import { accountOfKey } from '../../accounts/keys.ts';
import { hashToken } from '../../directory/ids.ts';
import { Refusal } from '../../errors.ts';
import type { Services } from '../trpc.ts';
import { openLookups } from './answer-cache.ts';
import { holdsKey } from './params.ts';

export type Key = { keyId: string; accountId: string };

/** Throws unauthorized for a request without a valid key. */
export function openCallerKeys(services: Services) {
  const keys = openLookups<Key>();
  return async (request: IncomingMessage, url: URL, now: number): Promise<Key> => {
    const [, key = ''] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const found =
      key === '' ? undefined : await keys(hashToken(key), now, () => accountOfKey(services.directory, key, now));
    if (found) return found;
    if (key !== '')
      await services.wrongTokens.count('key', {
        token: key,
        addressHash: () => services.addressHashOf(request),
      });
    throw new Refusal(
      'unauthorized',
      holdsKey(url) && key === ''
        ? 'An API key goes into the header `Authorization: Bearer KEY`, never into an address: revoke this key and create another.'
        : 'Send a valid API key in the header `Authorization: Bearer KEY`. Create one in the dashboard, under Settings, API.',
    );
  };
}
