// Procedures for Google Search Console, and /search-console/callback, to which Google sends people back. The callback is a navigation from
// another site: instead of its origin, the state is checked, which only the session that started can use, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { billingOf, ownOrigin } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { connectionOf, toPublicConnection } from '../../integrations/search-console/connections.ts';
import { GoogleFailure, SEARCH_CALLBACK_PATH } from '../../integrations/search-console/google.ts';
import type { SearchConsole } from '../../integrations/search-console/open.ts';
import { progressOf } from '../../integrations/search-console/reading.ts';
import { searchTermsQuestion } from '../../stats/query.ts';
import { siteFor } from '../../sites/access.ts';
import type { SearchOutcome } from '../../vocabulary/settings/search-console.ts';
import { namedSegments } from './segments.ts';
import { questionOf } from './stats.ts';
import { router, type Services, siteProcedure } from '../trpc.ts';
import { readViewer } from '../viewer.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const MAX_PROPERTY = 2_048;
const MAX_ANSWER = 2_048;

function opened({ searchConsole }: Pick<Services, 'searchConsole'>): SearchConsole {
  if (searchConsole) return searchConsole;
  throw new Refusal(
    'bad_request',
    t(
      'Search Console is not set up on this server: the person who runs it sets GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
    ),
  );
}

export const searchConsole = router({
  /** `callback`: the address that the operator enters at Google. */
  status: siteProcedure('admin').query(async ({ ctx }) => {
    const connection = await connectionOf(ctx.directory, ctx.access.site.id);
    return {
      is_on: ctx.searchConsole !== undefined,
      callback: new URL(SEARCH_CALLBACK_PATH, ownOrigin(ctx.config)).href,
      connection: connection ? toPublicConnection(connection, progressOf(connection)) : null,
    };
  }),
  /** Returns the address of Google's page that asks for consent. */
  connect: siteProcedure('admin').mutation(async ({ ctx }) => {
    const session = await ctx.auth.identify(ctx.headers);
    if (!session) throw new Refusal('unauthorized', t('Log in to do this.'));
    return { address: await opened(ctx).connect(session, ctx.access.site.id) };
  }),
  /** For people who log in: share links show no search terms. */
  terms: siteProcedure('own')
    .input(searchTermsQuestion.extend(namedSegments))
    .query(async ({ ctx, input }) => {
      const { site } = ctx.access;
      const source = await connectionOf(ctx.directory, site.id);
      const terms = await ctx.stats.searchTerms(await questionOf(ctx, input), { site, source }, ctx.now());
      return { ...terms, failure: source?.failure ?? null };
    }),
  properties: siteProcedure('admin').query(({ ctx }) => opened(ctx).properties(ctx.access.site)),
  choose: siteProcedure('admin')
    .input(z.object({ property: z.string().min(1).max(MAX_PROPERTY) }))
    .mutation(({ ctx, input: { property } }) => opened(ctx).choose(ctx.access.site, property)),
  /** Works without a Google client too. `is_shared`: other sites may use the same grant, so it was not revoked. Neither: it is tried again. */
  disconnect: siteProcedure('admin').mutation(async ({ ctx }) => {
    const { account, site } = ctx.access;
    const ended = await ctx.searchData.disconnect(site.id);
    if (!ended) return { is_revoked: true, is_shared: false };
    if (ctx.viewer.kind === 'user') {
      const ids = { account_id: account.id, site_id: site.id, user_id: ctx.viewer.userId };
      await recordAction(ctx, 'search_disconnected', { ids, domain: site.domain });
    }
    return { is_revoked: ended === 'withdrawn', is_shared: ended === 'shared' };
  }),
});

export function openSearchCallback(services: Services) {
  const { directory, config, auth, log } = services;

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const console = opened(services);
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      throw new Refusal('method_not_allowed', t('The method must be GET.'));
    }
    const session = await auth.identify(request.headers);
    const viewer = await readViewer(services, request.headers, () => services.addressHashOf(request));
    if (!session || viewer?.kind !== 'user') return send(response, '/login');
    const answer = (name: string) => (url.searchParams.get(name) ?? '').slice(0, MAX_ANSWER);
    const taken = await console.takeState(session, answer('state'));
    if (!taken) return send(response, '/');
    const options = { now: services.now(), billing: billingOf(config) };
    const { site, account } = await siteFor(directory, viewer, taken, 'admin', options);
    const outcome = await finish();
    if (outcome === 'connected') {
      const ids = { account_id: account.id, site_id: site.id, user_id: session.userId };
      await recordAction(services, 'search_connected', { ids, domain: site.domain });
    }
    send(response, `/${encodeURIComponent(site.domain)}/settings/integrations?search=${outcome}#search-console`);

    async function finish(): Promise<SearchOutcome> {
      if (taken?.isLate !== false) return 'expired';
      if (answer('error') === 'access_denied') return 'denied';
      const code = answer('code');
      if (code === '') return 'failed';
      try {
        const made = { siteId: site.id, accountId: account.id, by: session?.userId ?? '' };
        await console.finish({ ...made, code, verifier: taken.verifier });
        return 'connected';
      } catch (error) {
        if (!(error instanceof GoogleFailure)) throw error;
        log.warn({ reason: error.reason, detail: error.detail }, 'connecting with Google failed');
        if (error.reason === 'scope') return 'scope';
        return error.reason === 'unreachable' || error.reason === 'quota' ? 'unreachable' : 'failed';
      }
    }
  };
}

function send(response: ServerResponse, location: string): void {
  response.writeHead(303, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer', // the address holds Google's code
  });
  response.end();
}
