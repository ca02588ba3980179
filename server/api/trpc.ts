// The base of all tRPC procedures: their context, their errors, and the procedures that check access to an account or a site.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { initTRPC, TRPCError } from '@trpc/server';
import { parse, stringify } from 'devalue';
import { z } from 'zod';
import type { Collector } from '../collect/collector.ts';
import { problemOf } from '../collect/doors/payload.ts';
import { billingOf, type Config } from '../config.ts';
import { REFUSALS, Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { Favicons } from '../integrations/icons/favicons.ts';
import type { Peers } from '../process/http/peer.ts';
import { toRefusal } from '../process/http/respond.ts';
import type { Outgoing } from '../process/outgoing/client.ts';
import type { Ownership } from '../sites/checks/ownership.ts';
import type { Windows } from '../live/windows.ts';
import type { Log } from '../process/log.ts';
import type { Mail } from '../messages/mail/mail.ts';
import type { SecurityLog } from '../process/security-log.ts';
import { type AccountAccess, type Need, type SiteAccess, type Viewer, accountFor, siteFor } from '../sites/access.ts';
import { currentAccount } from '../accounts/accounts.ts';
import type { Auth } from '../accounts/sign-in/auth.ts';
import type { Payments } from '../accounts/billing/open.ts';
import type { Directory } from '../directory/open.ts';
import type { Unlocked } from '../sites/sharing/unlocked.ts';
import type { Exporting } from '../jobs/exporting/exporting.ts';
import type { Importing } from '../jobs/importing.ts';
import type { Purging } from '../jobs/purging.ts';
import type { VersionOf } from '../stats/answer-cache.ts';
import { checkPart } from '../stats/disclosure/link-rules.ts';
import type { ViewerRule } from '../stats/disclosure/rule.ts';
import type { Stats } from '../stats/run.ts';
import type { AskSpeedNow } from '../stats/vitals/now.ts';
import type { IconLimit, Limiter, Limits } from './rate-limits.ts';
import type { Releases } from '../integrations/releases.ts';
import type { MentionSearch } from '../integrations/mentions/search.ts';
import type { Reports } from '../notifications/reports/reports.ts';
import type { Previews } from '../sites/previews/previews.ts';
import type { SearchConsole, SearchData } from '../integrations/search-console/open.ts';
import type { Webhooks } from '../messages/webhooks/webhooks.ts';
import { ruleFor } from './viewer-rule.ts';
import type { WrongTokens } from './wrong-tokens.ts';
import { MAX_RECORD_ID } from '../vocabulary/limits.ts';
import type { Part } from '../vocabulary/settings/share-links.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** Everything that request handlers may use. */
export type Services = Limits & {
  config: Config;
  directory: Directory;
  auth: Auth;
  mail: Mail;
  webhooks: Webhooks;
  /** Undefined unless Stripe is set up. */
  payments: Payments | undefined;
  stats: Stats;
  windows: Windows;
  speedNow: AskSpeedNow;
  collector: Pick<Collector, 'collectAll' | 'strayOf' | 'wishesOf'>;
  /** For requests to addresses that people enter. */
  outgoing: Outgoing;
  favicons: Favicons;
  /** Returns true if the address may cause one more request for an icon. */
  takeIcon: IconLimit;
  /** The pictures of shared dashboards. */
  previews: Previews;
  /** Which browsers know the password of a share link. */
  unlocked: Unlocked;
  mentions: MentionSearch;
  releases: Releases;
  reports: Reports;
  /** Undefined unless a Google client is set up. */
  searchConsole: SearchConsole | undefined;
  searchData: SearchData;
  ownership: Ownership;
  limiter: Limiter;
  peers: Pick<Peers, 'hasUntrustedProxy'>;
  wrongTokens: WrongTokens;
  security: SecurityLog;
  /** Grows when events of a site within a range are stored. Undefined if other processes store events too. */
  versionOf: VersionOf;
  /** `signal` lets work stop once nobody waits for its answer. Without it the work goes on: others may wait for its result, too. */
  requesterOf(request: IncomingMessage, signal?: AbortSignal): Requester;
  /** See `process/http/address-hash.ts`. */
  addressHashOf(request: IncomingMessage): string | Promise<string>;
  purging: Pick<Purging, 'purge' | 'undo'>;
  importing: Omit<Importing, 'tidy' | 'sweep'>;
  exporting: Exporting;
  /** Deletes a site and everything recorded for it. */
  deleteSite(siteId: SiteId): Promise<void>;
  now(): number;
  log: Log;
};

export type Context = Services & {
  headers: IncomingHttpHeaders;
  setCookies(cookies: string[]): void;
  viewer: Viewer | undefined;
  requester: Requester;
  /** The error from identifying the caller, with which every procedure then fails. */
  identifyError?: unknown;
};

/** The caller as the network shows them. */
type Requester = {
  /** Aborted once nobody waits for the answer. */
  signal: AbortSignal | undefined;
  /** See `process/http/address-hash.ts`. */
  addressHash(): string | Promise<string>;
  /** The address itself, which must not be stored. */
  address(): string;
};

const trpc = initTRPC.context<Context>().create({
  transformer: { serialize: stringify, deserialize: parse },
  isDev: false, // answers never contain a stack trace
});

export const router = trpc.router;

/** Translates errors into the codes of errors.ts. Errors that are not refusals are logged and hidden. */
const translated = trpc.procedure.use(async ({ ctx, next }) => {
  if (ctx.identifyError !== undefined) throw translate(ctx.identifyError, ctx.log);
  const result = await next();
  if (result.ok) return result;
  const { error } = result;
  if (error.cause instanceof z.ZodError) throw badRequest(sentenceOf(error.cause));
  // Errors of our own code arrive as INTERNAL_SERVER_ERROR, so this is input that devalue cannot parse.
  if (error.code === 'BAD_REQUEST' && error.cause) throw badRequest(t('The request is malformed.'));
  const isOurs = error.cause !== undefined || error.code === 'INTERNAL_SERVER_ERROR';
  if (!isOurs) return result;
  throw translate(error.cause ?? error, ctx.log);
});

const badRequest = (message: string) => new TRPCError({ code: 'BAD_REQUEST', message });

/** Rules are in the reader's language, and say the end of a sentence. Forms find the field by what stands before the colon. */
const sentenceOf = (error: z.ZodError): string => problemOf(error).replace(/\.$/, t('.@@ends a sentence'));

function translate(error: unknown, log: Log): TRPCError {
  const refusal = toRefusal(error, log);
  return new TRPCError({ code: REFUSALS[refusal.code].trpc, message: refusal.message, cause: refusal });
}

/** Returns the longest Retry-After among the errors of a batch. */
export function retryHeaders(errors: readonly TRPCError[]): Record<string, string> {
  const seconds = errors.flatMap(({ cause }) => (cause instanceof Refusal && cause.retryAfterSeconds) || []);
  return seconds.length === 0 ? {} : { 'retry-after': String(Math.max(...seconds)) };
}

export const publicProcedure = translated;

/** Runs what uses a mailed link. Throws too_many_requests for an address that guesses links. */
export async function countedLink<T>(
  { wrongTokens, requester: { addressHash } }: Context,
  { kind, token }: { kind: 'reset_link' | 'email_link' | 'sign_up_link'; token: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') await wrongTokens.count(kind, { token, addressHash });
    throw error;
  }
}

/** For signed-in users. */
export const userProcedure = translated.use(({ ctx, next }) => {
  if (ctx.viewer?.kind !== 'user') throw new Refusal('unauthorized', t('Log in to do this.'));
  return next({ ctx: { viewer: ctx.viewer } });
});

/** The header in which the dashboard names the account that the page shows. */
const SHOWN_ACCOUNT = 'x-footfall-account';

/** For the signed-in user's own account. Checks that the user's role allows `need`. */
export const accountProcedure = (need: Need, options: { evenExpired?: boolean } = {}) =>
  userProcedure.use(async ({ ctx, next, type }) => {
    const own = await currentAccount(ctx.directory, ctx.viewer);
    if (!own) throw new Refusal('not_found', t('There is no such account.'));
    // The account is chosen for all tabs at once: what another tab still shows must not be done to this one.
    const shown = ctx.headers[SHOWN_ACCOUNT];
    if (type === 'mutation' && shown !== undefined && shown !== own.id)
      throw new Refusal(
        'bad_request',
        t('Another account was chosen in this browser since this page was opened: reload it.'),
      );
    const access = await accountFor(ctx.directory, ctx.viewer, { accountId: own.id }, need, optionsFor(ctx, options));
    return next({ ctx: { access, stats: await statsFor(ctx, ctx.viewer, { accountId: own.id }) } });
  });

type SiteOptions = {
  evenExpired?: boolean;
  /** The part of a dashboard that the procedure is about. `any`: the questions themselves name their parts. Viewers of share links need one. */
  part?: Part | 'any';
};

/**
 * For one site, given by `site_id`. Every procedure for a site is based on this one, so that access is checked in one place. Without a `part`, it is
 * not for viewers of share links.
 */
export const siteProcedure = (need: Need, { part, ...options }: SiteOptions = {}) =>
  translated.input(z.object({ site_id: z.string().max(MAX_RECORD_ID) })).use(async ({ ctx, input, next }) => {
    if (!ctx.viewer) throw new Refusal('unauthorized', t('Log in, or open a share link that is still valid.'));
    const access = await siteFor(ctx.directory, ctx.viewer, { siteId: input.site_id }, need, optionsFor(ctx, options));
    const looking = lookingAt(ctx.viewer, access);
    if (ctx.viewer.kind === 'share') checkShared(looking.rule, part);
    return next({ ctx: { viewer: ctx.viewer, access, stats: await statsFor(ctx, ctx.viewer, looking) } });
  });

function checkShared(rule: ViewerRule | undefined, part: SiteOptions['part']): void {
  if (part === undefined) throw new Refusal('forbidden', t('This is not part of a shared dashboard.'));
  if (part !== 'any') checkPart(rule?.link, part);
}

/** What a viewer of a site asks for its numbers with. */
export const lookingAt = (viewer: Viewer, access: SiteAccess) => ({
  accountId: access.account.id,
  rule: ruleFor(viewer, access),
});

/**
 * Returns the numbers that a viewer may see. Members of an account share a lane of the store. Viewers of a share link get a lane of their
 * own, since anybody may have the link. `rule`: see viewer-rule.ts.
 */
export async function statsFor(
  { stats, requester, now }: Pick<Services, 'stats' | 'now'> & { requester: Requester },
  viewer: Viewer,
  { accountId, rule }: { accountId: string; rule?: ViewerRule | undefined },
): Promise<Stats> {
  const { signal, addressHash } = requester;
  const since = performance.now();
  const lane = viewer.kind === 'share' ? viewer.linkId : accountId;
  const asking =
    viewer.kind === 'share'
      ? { lane, viewer: `${viewer.linkId} ${await addressHash()}`, since, signal }
      : { lane, since, signal };
  return stats.askedBy(asking, rule && { rule, now: now() });
}

/** Returns the ids for the logs. Only signed-in users reach the procedures that log. */
export function actorIds({ access, viewer }: { access: AccountAccess; viewer: Viewer | undefined }) {
  return { account_id: access.account.id, user_id: viewer?.kind === 'user' ? viewer.userId : '' };
}

function optionsFor(ctx: Context, options: { evenExpired?: boolean }) {
  return { now: ctx.now(), billing: billingOf(ctx.config), ...options };
}
