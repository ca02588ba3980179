// Procedures for the session and the account: who is signed in, signing up, changing the password.
import { z } from 'zod';
import { billingOf } from '../../config.ts';
import { chosenBy } from '../../directory/habits.ts';
import { Refusal } from '../../errors.ts';
import { listActions, peopleInLog, recordAction } from '../../accounts/account-log.ts';
import { effectivePlan, hasBilling, hasPlan, hasQuota } from '../../accounts/billing/plans.ts';
import { accountsOf, currentOf, hasAccounts } from '../../accounts/accounts.ts';
import { requireFactor } from '../../accounts/sign-in/factors/required-factor.ts';
import { redeemFirstStart } from '../../accounts/first-start.ts';
import { DEMO_TOKEN, demoLink } from '../../sites/sharing/demo.ts';
import { wantedDomains } from '../../sites/domains/claims.ts';
import { isLimitedMember, mayDo, memberOf, seesAll, sitesFor } from '../../sites/access.ts';
import { ssoOf } from '../pages/oidc.ts';
import { ownArrangements } from '../../sites/arrangements.ts';
import { openNextSteps, openParts } from '../../sites/parts.ts';
import { shownParts, shownSite, shownSteps } from './shown-site.ts';
import { brokenSites } from '../../integrations/search-console/connections.ts';
import { ACCOUNT_ACTIONS, type AccountAction } from '../../vocabulary/accounts/account-actions.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { MONTHLY_EVENTS } from '../../vocabulary/accounts/plans.ts';
import { countMonth } from '../../stats/answers/month.ts';
import {
  type Context,
  accountProcedure,
  countedLink,
  statsFor,
  publicProcedure,
  router,
  userProcedure,
} from '../trpc.ts';
import type { Caller } from '../../accounts/sign-in/auth.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Far more than an account writes in a year. */
const MAX_LOG_PAGES = 10_000;

const password = z.string().max(1024);

export const session = router({
  /** Returns null for callers who are not signed in, including viewers of share links. */
  current: publicProcedure.query(async ({ ctx }) => {
    if (ctx.viewer?.kind !== 'user') return null;
    const [identity, all] = await Promise.all([
      ctx.auth.identify(ctx.headers),
      accountsOf(ctx.directory, ctx.viewer.userId),
    ]);
    const account = currentOf(all, ctx.viewer);
    const member = account && (await memberOf(ctx.directory, ctx.viewer, account.id));
    if (!identity || !member) return null;
    ctx.setCookies(identity.setCookies);
    const now = ctx.now();
    const needsFactor = ctx.viewer.lacksFactor === true;
    const sites = needsFactor ? [] : await sitesFor(ctx.directory, member);
    const billing = billingOf(ctx.config);
    const standing = effectivePlan(account, now, { billing });
    const drops = ctx.config.QUOTA === 'drop';
    const verifies = ctx.config.SIGNUP === 'open';
    const mayEdit = mayDo(account.role, 'admin');
    const wanted = verifies && mayEdit ? await wantedDomains(ctx.directory, sites, now) : undefined;
    const editable = mayEdit ? sites.map(({ id }) => id) : [];
    const broken = await brokenSites(ctx.directory, editable);
    const [habits, own, partsOn] = await Promise.all([
      chosenBy(ctx.directory.db, ctx.viewer),
      ownArrangements(ctx.directory, { userId: ctx.viewer.userId }),
      openParts(ctx.directory, { accountId: account.id, userId: ctx.viewer.userId }),
    ]);
    const offered = { sites: mayEdit ? sites : [], partsOn, own, userId: ctx.viewer.userId, hasMail: ctx.mail.isOn };
    const nextSteps = await openNextSteps(ctx.directory, offered, now);
    return {
      user: { id: identity.userId, email: identity.email, habits },
      /** Every account of the person, to switch between. */
      accounts: all.map(({ id, name, role }) => ({ id, name, role })),
      account: {
        id: account.id,
        name: account.name,
        role: account.role,
        requires_second_factor: account.requires_factor === 1,
        /** When the account is deleted, if an owner asked for that; 0 once it is being deleted. */
        deletes_at: account.deletes_at,
        /** False for the account of whoever runs the server. */
        may_be_deleted: account.kind !== 'operator',
        /** If false, the dashboard mentions no plan, trial or quota. */
        has_plan: hasPlan(account, { billing }),
        has_billing: hasBilling(account, { billing }),
        may_pay: hasBilling(account, { billing }) && mayDo(account.role, 'plan'),
        plan: standing.plan,
        status: standing.status,
        ends_at: standing.endsAt,
        includes_api: standing.includesApi,
        can_see_dashboard: standing.canSeeDashboard,
        /** Null for people who may not see the numbers of every site, or see those of one in steps: this advances by each event. */
        monthly_events:
          seesAll(member) && !sites.some((site) => isLimitedMember(member.role, site))
            ? await countMonth(await statsFor(ctx, ctx.viewer, { accountId: account.id }), sites, now)
            : null,
        // With BILLING=off no plan has a limit, but people still have to know about a quota that drops events.
        monthly_limit: hasQuota(account) && (drops || billing !== 'off') ? MONTHLY_EVENTS : null,
        drops_over_limit: drops,
      },
      /** For whoever runs the server, if they want to be told: a release that is newer than this one. */
      newer_release:
        account.kind === 'operator' && account.role === 'owner' ? ((await ctx.releases.newer()) ?? null) : null,
      /** If true, the dashboard shows only how to set up a second factor. */
      needs_second_factor: needsFactor,
      sites: sites.map((site) => ({
        ...shownSite(ctx, site, account.role),
        ...shownParts(partsOn(site.id)),
        ...shownSteps(nextSteps(site.id)),
        ...(own.has(site.id) && { own_arrangement: own.get(site.id) }),
        ...(broken.has(site.id) && { search_broken: true as const }),
      })),
      /** If false, nobody verifies domains. */
      verifies_domains: verifies,
      /** Domains of this account that it has not verified, and that another account wants. */
      wanted_domains: [...(wanted ?? [])],
      /** An untrusted proxy makes all visitors count as one. The dashboard warns about it, since the operator can fix it. */
      has_untrusted_proxy: mayDo(account.role, 'admin') && ctx.peers.hasUntrustedProxy,
    };
  }),
  /** For the start page and the sign-in pages: whether the first account is missing, and what this server offers. */
  start: publicProcedure.query(async ({ ctx }) => ({
    /** The e-mail address of a caller who is logged in, even if they belong to no account: `current` is then null. */
    signed_in_as: ctx.viewer?.kind === 'user' ? ((await ctx.auth.identify(ctx.headers))?.email ?? null) : null,
    first_start: !(await hasAccounts(ctx.directory)),
    signup: ctx.config.SIGNUP,
    /** If false, forgotten passwords are a matter for the operator. */
    has_mail: ctx.mail.isOn,
    sso: ssoOf(ctx),
    /** The token of the demo's share link. */
    demo: (await demoLink(ctx)) ? DEMO_TOKEN : null,
    /** True if accounts can pay, so that the plans are shown. */
    sells: ctx.payments !== undefined,
    /** Undefined until Stripe has answered: this page does not wait for it. */
    prices: ctx.payments?.prices.known(),
  })),
});

const callerOf = (ctx: Context): Caller => ({ headers: ctx.headers, addressHash: ctx.requester.addressHash });

export const accounts = router({
  /**
   * Creates the first account with the token printed at the start, or another account if sign-up is open. Signs in, unless a mail asks to
   * confirm the address first.
   */
  create: publicProcedure
    .input(z.strictObject({ token: z.string().max(200).optional(), email: z.string().max(320), password }))
    .mutation(async ({ ctx, input }) => {
      const { token, ...credentials } = input;
      const caller = callerOf(ctx);
      if (token !== undefined) {
        const { account, user } = await redeemFirstStart(ctx.directory, { token, ...credentials }, ctx.now());
        ctx.security.note('account_made', { account_id: account.id, user_id: user.id });
        ctx.setCookies((await ctx.auth.signIn(credentials, caller)).setCookies);
      } else if (!(await hasAccounts(ctx.directory))) {
        // Otherwise the first stranger to come could become the operator.
        throw new Refusal(
          'forbidden',
          t('Create the first account at the address that the server printed when it started.'),
        );
      } else {
        const signedIn = await ctx.auth.signUps.request(credentials, caller);
        if (!signedIn) return { is_made: false };
        ctx.setCookies(signedIn.setCookies);
      }
      return { is_made: true };
    }),
  /** The address that a link confirms. Not a query, whose input would be part of an address. */
  signUpLink: publicProcedure
    .input(z.strictObject({ token: z.string().max(200) }))
    .mutation(async ({ ctx, input }) => ({
      email: await countedLink(ctx, { kind: 'sign_up_link', token: input.token }, () =>
        ctx.auth.signUps.read(input.token),
      ),
    })),
  /** Creates the account of somebody who signed up, and signs in. */
  confirmSignUp: publicProcedure
    .input(z.strictObject({ token: z.string().max(200), password }))
    .mutation(async ({ ctx, input }) => {
      const confirm = () => ctx.auth.signUps.confirm(input, callerOf(ctx));
      const { setCookies } = await countedLink(ctx, { kind: 'sign_up_link', token: input.token }, confirm);
      ctx.setCookies(setCookies);
    }),
  /** Mails a link to a new password. Answers in the same way whether the e-mail address has an account or not. */
  requestReset: publicProcedure
    .input(z.strictObject({ email: z.string().max(320) }))
    .mutation(({ ctx, input }) => ctx.auth.passwordReset.request(input, callerOf(ctx))),
  resetPassword: publicProcedure
    .input(z.strictObject({ token: z.string().max(200), password }))
    .mutation(async ({ ctx, input }) => {
      const redeem = () => ctx.auth.passwordReset.redeem(input, callerOf(ctx));
      await countedLink(ctx, { kind: 'reset_link', token: input.token }, redeem);
    }),
  /** Requires a second factor of all members, or no longer. */
  requireSecondFactor: accountProcedure('owner')
    .input(z.strictObject({ required: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      const { id } = ctx.access.account;
      const { userId } = ctx.viewer;
      await requireFactor(ctx.directory, { accountId: id, userId, isRequired: input.required });
      const ids = { account_id: id, user_id: userId };
      await recordAction(ctx, input.required ? 'factor_required' : 'factor_optional', { ids });
    }),
  changePassword: userProcedure
    .input(z.strictObject({ current_password: password, new_password: password }))
    .mutation(async ({ ctx, input }) => {
      const passwords = { current: input.current_password, next: input.new_password };
      ctx.setCookies((await ctx.auth.changePassword(passwords, ctx.headers)).setCookies);
    }),
  /** What happened in the account, newest first, and who did it. */
  log: accountProcedure('owner', { evenExpired: true })
    .input(
      z.strictObject({
        page: z.int().min(1).max(MAX_LOG_PAGES).default(1),
        user_id: z.string().max(MAX_RECORD_ID).optional(),
        action: z.enum(Object.keys(ACCOUNT_ACTIONS) as AccountAction[]).optional(),
      }),
    )
    .query(async ({ ctx, input: { page, user_id: user, action } }) => {
      const { id } = ctx.access.account;
      const [listed, people] = await Promise.all([
        listActions(ctx.directory, id, { page, user, action }),
        peopleInLog(ctx.directory, id),
      ]);
      return { ...listed, people };
    }),
});
