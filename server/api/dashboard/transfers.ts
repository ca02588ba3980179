// Procedures for giving a site to another account.
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { accountsOf } from '../../accounts/accounts.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { acceptSite, OFFER_OVER, offerOf, offerSite, openOffer, withdrawOffer } from '../../sites/transfers.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { type Context, publicProcedure, router, siteProcedure, userProcedure } from '../trpc.ts';
import { say, t } from '../../vocabulary/habits/messages.ts';

const token = z.string().max(200);

const owner = siteProcedure('owner').use(({ ctx, next }) => {
  if (ctx.viewer.kind !== 'user') throw new Refusal('unauthorized', t('Log in to do this.'));
  const { site, account } = ctx.access;
  return next({ ctx: { offered: { siteId: site.id, accountId: account.id, by: ctx.viewer.userId } } });
});

export const transfers = router({
  /** The open offer of the site, if there is one. */
  current: owner.query(async ({ ctx }) => {
    const offer = await openOffer(ctx.directory, ctx.offered.siteId, ctx.now());
    return { offer: offer ? { email: offer.email, expires_at: offer.expiresAt } : null, sends_mail: ctx.mail.isOn };
  }),
  /** Returns the token of the offer's link, which is shown once. */
  offer: owner.input(z.object({ email: z.string().max(320) })).mutation(async ({ ctx, input }) => {
    const { offered } = ctx;
    const { site, account } = ctx.access;
    await ctx.takeInvitation(offered.accountId);
    const made = await offerSite(
      ctx.directory,
      {
        ...offered,
        email: input.email,
        notify: (db, { id, token: link, email: to }) => {
          const data = { account: account.name, domain: site.domain, token: link };
          const key = `site_offered ${account.id} ${site.id} ${id}`;
          return ctx.mail.send(db, { kind: 'site_offered', key, to, data });
        },
      },
      ctx.now(),
    );
    const ids = { account_id: offered.accountId, site_id: offered.siteId, user_id: offered.by };
    await recordAction(ctx, 'site_offered', { ids, domain: site.domain });
    return { token: made.token };
  }),
  withdraw: owner.mutation(async ({ ctx }) => {
    const { offered } = ctx;
    if (!(await withdrawOffer(ctx.directory, offered))) return;
    const ids = { account_id: offered.accountId, site_id: offered.siteId, user_id: offered.by };
    await recordAction(ctx, 'offer_withdrawn', { ids, domain: ctx.access.site.domain });
  }),
  /** Returns what a link offers, and the accounts that the person could take the site into. Not a query, whose input would be part of an address. */
  offered: publicProcedure.input(z.strictObject({ token })).mutation(async ({ ctx, input }) => {
    const { expiresAt, ...offer } = await checkedOffer(ctx, input.token);
    const me = ctx.viewer?.kind === 'user' ? await ctx.auth.identify(ctx.headers) : undefined;
    const accounts = me ? await accountsOf(ctx.directory, me.userId) : [];
    return {
      ...offer,
      expires_at: expiresAt,
      signed_in_as: me?.email ?? null,
      accounts: accounts.filter(({ role }) => role === 'owner').map(({ id, name }) => ({ id, name })),
    };
  }),
  accept: userProcedure
    .input(z.strictObject({ token, account_id: z.string().max(MAX_RECORD_ID) }))
    .mutation(async ({ ctx, input }) => {
      await checkedOffer(ctx, input.token);
      const me = await ctx.auth.identify(ctx.headers);
      if (!me) throw new Refusal('unauthorized', t('Log in to do this.'));
      const taking = { token: input.token, userId: me.userId, email: me.email, accountId: input.account_id };
      const limits = { maxSites: ctx.config.SITES_PER_ACCOUNT, billing: billingOf(ctx.config), now: ctx.now() };
      const { siteId, domain, from } = await acceptSite(ctx.directory, taking, limits);
      const ids = { site_id: siteId, user_id: me.userId };
      ctx.security.note('site_given', { ...ids, account_id: from });
      ctx.security.note('site_taken_over', { ...ids, account_id: input.account_id });
      return { domain };
    }),
});

/** Guesses count against the caller's address. */
async function checkedOffer(ctx: Context, shown: string) {
  const offer = await offerOf(ctx.directory, shown, ctx.now());
  if (offer) return offer;
  await ctx.wrongTokens.count('transfer', { token: shown, addressHash: ctx.requester.addressHash });
  throw new Refusal('not_found', say(OFFER_OVER));
}
