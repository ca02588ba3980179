// Procedures about who is here: the session, the account, and making one.
import { z } from 'zod';
import { effectivePlan } from '../sites/plans.ts';
import { accountsOf, hasAccounts } from '../sites/accounts.ts';
import { redeemFirstStart } from '../sites/first-start.ts';
import { listSites, toPublicSite } from '../sites/sites.ts';
import { startOfMonth } from '../time.ts';
import { laneOf, publicProcedure, router, userProcedure } from './trpc.ts';

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
    const standing = effectivePlan(account, now, { billing: ctx.config.BILLING });
    return {
      user: { email: identity.email },
      account: {
        id: account.id,
        name: account.name,
        role: account.role,
        plan: standing.plan,
        status: standing.status,
        includes_api: standing.includesApi,
        can_see_dashboard: standing.canSeeDashboard,
        trial_ends_at: account.trial_ends_at,
        paid_until: account.paid_until,
        monthly_events: await ctx.stats.inLane(laneOf(ctx.viewer, account.id)).countEvents(
          sites.map((site) => site.id),
          { from: startOfMonth(now), to: now + 1 },
        ),
        // Without billing there is no plan to outgrow; where the server drops what is above, people have to know all the same.
        monthly_limit: ctx.config.BILLING === 'off' && ctx.config.QUOTA !== 'drop' ? null : MONTHLY_EVENTS,
        drops_over_limit: ctx.config.QUOTA === 'drop',
      },
      sites: sites.map((site) => ({ ...toPublicSite(site, now), role: account.role })),
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
      if (token !== undefined) {
        await redeemFirstStart(ctx.directory, { token, ...who }, ctx.now());
        ctx.setCookies((await ctx.auth.signIn(who, ctx.headers)).setCookies);
      } else ctx.setCookies((await ctx.auth.signUp(who, ctx.headers, ctx.now())).setCookies);
    }),
  changePassword: userProcedure
    .input(z.strictObject({ current_password: password, new_password: password }))
    .mutation(async ({ ctx, input }) => {
      const passwords = { current: input.current_password, next: input.new_password };
      ctx.setCookies((await ctx.auth.changePassword(passwords, ctx.headers)).setCookies);
    }),
});
