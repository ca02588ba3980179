// Logging in through the operator's OpenID Connect issuer: two navigations, one that sends the browser to the issuer and one that comes
// back with its answer.
import type { Oidc } from '../../../config.ts';
import { Refusal } from '../../../errors.ts';
import { ownPath } from '../../../vocabulary/texts/own-path.ts';
import type { Caller, Parts, SignedIn } from '../auth.ts';
import { type Issuer, OidcFailure } from './oidc-issuer.ts';
import { admitPerson, type Person, readPerson } from './oidc-people.ts';
import type { OidcStates } from './oidc-states.ts';
import { hasSecondFactor } from '../factors/second-factor.ts';

/** Where to send the browser, with which cookies. */
export type Onward = { location: string; setCookies: string[] };

/** Both throw an OidcFailure. */
export type OidcLogIn = {
  name: string;
  /** `to`: the path to go to afterwards. `again`: the issuer is asked to check the person anew. */
  start(asked: URLSearchParams, caller: Caller): Promise<Onward>;
  finish(answer: URLSearchParams, caller: Caller): Promise<Onward>;
};

type Options = {
  parts: Parts;
  oidc: Oidc;
  issuer: Issuer;
  states: OidcStates;
  /** Starts a session, or asks for the second factor. */
  admit: {
    startSession(userId: string, caller: Caller, person: Person): Promise<SignedIn>;
    askSecondFactor(userId: string, issued: Person & { isLinked: boolean }): Promise<SignedIn>;
  };
};

export function openOidc({ parts, oidc, issuer, states, admit }: Options): OidcLogIn {
  const { attempts, now } = parts;

  async function count({ addressHash }: Caller): Promise<void> {
    try {
      await attempts.countOidc(await addressHash());
    } catch (error) {
      throw error instanceof Refusal ? new OidcFailure('limited') : error;
    }
  }

  return {
    name: oidc.name,
    start: async (asked, caller) => {
      await count(caller);
      const wish = { to: ownPath(asked.get('to')), isAgain: asked.has('again') };
      const { cookie, ...checks } = await states.start(wish, caller.headers, now());
      const address = await issuer.addressFor({ ...checks, isAgain: wish.isAgain });
      return { location: address.href, setCookies: [cookie] };
    },
    finish: async (answer, caller) => {
      await count(caller);
      const { headers } = caller;
      const taken = await states.take(answer.get('state') ?? '', headers, now());
      if (!taken) throw new OidcFailure('over');
      const { to, isAgain, ...checks } = taken;
      const person = readPerson(await issuer.redeem(answer, checks), oidc, { isAgain, now: now() });
      const { userId, isLinked } = await admitPerson(parts, oidc, person);
      // The issuer's word counts as one factor, unless it says that it checked two.
      const isEnough = isLinked && (person.hasBothFactors || !(await hasSecondFactor(parts.directory.db, userId)));
      if (isEnough) {
        const { setCookies } = await admit.startSession(userId, caller, person);
        return { location: to, setCookies };
      }
      const { setCookies, needed } = await admit.askSecondFactor(userId, { ...person, isLinked });
      const query = new URLSearchParams({
        to,
        ...(needed?.authenticator && { authenticator: '1' }),
        ...(needed?.passkey && { passkey: '1' }),
      });
      return { location: `/login?sso=second_factor&${query.toString()}`, setCookies };
    },
  };
}
