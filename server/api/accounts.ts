// Procedures about who is here: the session, the account, and making one.
import { z } from 'zod';
import { billingOf } from '../config.ts';
import { Refusal } from '../errors.ts';
import { effectivePlan, hasPlan, hasQuota } from '../accounts/plans.ts';
import { accountsOf, hasAccounts } from '../accounts/accounts.ts';
import { redeemFirstStart } from '../accounts/first-start.ts';
import { listSites, toPublicSite } from '../sites/sites.ts';
import { startOfMonth } from '../vocabulary/time.ts';
import { statsFor, publicProcedure, router, userProcedure } from './trpc.ts';

/** Events a month that both plans include. */
export const MONTHLY_EVENTS = 10_000;

const password = z.string().max(1024);

export const session = router({
  /** Null for who is not logged in; with a share link too. */
  current: publicProcedure.query(async ({ ctx }) => {
    if (ctx.viewer?.kind !== 'user') return null;
    const [identity, [account]] = await Promise.all([
      ctx.auth.identify(ctx.headers),
      accountsOf(ctx.directory, ctx.viewer.userId),
    ]);
    if (!identity || !account) return null;
    ctx.setCookies(identity.setCookies);
    const now = ctx.now();
    const sites = await listSites(ctx.directory, account.id);
    const billing = billingOf(ctx.config);
    const standing = effectivePlan(account, now, { billing });
    const drops = ctx.config.QUOTA === 'drop';
    return {
      user: { email: identity.email },
      account: {
        id: account.id,
        name: account.name,
        role: account.role,
        /** False: no screen speaks of plan, trial and quota. */
        has_plan: hasPlan(account, { billing }),
        plan: standing.plan,
        status: standing.status,
        ends_at: standing.endsAt,
        includes_api: standing.includesApi,
        can_see_dashboard: standing.canSeeDashboard,
        monthly_events: await (
          await statsFor(ctx, ctx.viewer, account.id)
        ).countEvents(
          sites.map((site) => site.id),
          { from: startOfMonth(now), to: now + 1 },
        ),
        // With BILLING=off there is no plan to outgrow; where the server drops what is above, people have to know all the same.
        monthly_limit: hasQuota(account) && (drops || billing !== 'off') ? MONTHLY_EVENTS : null,
        drops_over_limit: drops,
      },
      sites: sites.map((site) => ({ ...toPublicSite(site, now), paused: site.paused, role: account.role })),
      /** A proxy in front is not trusted, so that all visitors count as one: whoever runs the server can mend it. */
      has_untrusted_proxy: account.role !== 'viewer' && ctx.peers.hasUntrustedProxy,
    };
  }),
  /** What the pages before the login may offer. */
  start: publicProcedure.query(async ({ ctx }) => ({
    first_start: !(await hasAccounts(ctx.directory)),
    signup: ctx.config.SIGNUP,
  })),
});

export const accounts = router({
  /** The first account with the token that the start printed, or another one where signing up is open. Logs in. */
  create: publicProcedure
    .input(z.strictObject({ token: z.string().max(200).optional(), email: z.string().max(320), password }))
    .mutation(async ({ ctx, input }) => {
      const { token, ...who } = input;
      const asker = { headers: ctx.headers, addressHash: ctx.requester.addressHash };
      if (token !== undefined) {
        const { account, user } = await redeemFirstStart(ctx.directory, { token, ...who }, ctx.now());
        ctx.security.note('account_made', { account_id: account.id, user_id: user.id });
        ctx.setCookies((await ctx.auth.signIn(who, asker)).setCookies);
      } else if (!(await hasAccounts(ctx.directory))) {
        // Or whoever comes first would take the operator's place.
        throw new Refusal(
          'forbidden',
          'The first account is made at the address that the server printed when it started.',
        );
      } else ctx.setCookies((await ctx.auth.signUp(who, asker)).setCookies);
    }),
  changePassword: userProcedure
    .input(z.strictObject({ current_password: password, new_password: password }))
    .mutation(async ({ ctx, input }) => {
      const passwords = { current: input.current_password, next: input.new_password };
      ctx.setCookies((await ctx.auth.changePassword(passwords, ctx.headers)).setCookies);
    }),
});
