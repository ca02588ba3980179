// Procedures of the page where people pay for the plan. Only this page asks Stripe.
import { z } from 'zod';
import { billingOf, ownOrigin } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkStays } from '../../accounts/account-deletion.ts';
import { hasBilling } from '../../accounts/billing/plans.ts';
import { PLANS } from '../../vocabulary/accounts/plans.ts';
import { accountProcedure, type Context, router } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** For those who may pay, also after the plan has ended. */
const payingProcedure = accountProcedure('plan', { evenExpired: true }).use(({ ctx, next }) => {
  const { payments, access } = ctx;
  if (!payments || !hasBilling(access.account, { billing: billingOf(ctx.config) }))
    throw new Refusal('not_found', t('There is nothing to pay for this account.'));
  return next({ ctx: { payments, accountId: access.account.id } });
});

export const billing = router({
  /** Known without asking Stripe. */
  subscription: payingProcedure.query(async ({ ctx }) => {
    const { renewsAt, isCustomer, isSubscribed } = await ctx.payments.subscription(ctx.accountId);
    return { renews_at: renewsAt, is_customer: isCustomer, is_subscribed: isSubscribed };
  }),
  prices: payingProcedure.query(({ ctx }) => ctx.payments.prices.current()),
  invoices: payingProcedure.query(({ ctx }) => ctx.payments.invoices(ctx.accountId)),
  /** Returns the address of Stripe's page to pay at, or null if the plan has changed already. */
  choose: payingProcedure.input(z.strictObject({ plan: z.enum(PLANS) })).mutation(async ({ ctx, input }) => {
    const { account } = ctx.access;
    checkStays(account);
    const identity = await ctx.auth.identify(ctx.headers);
    const payer = { accountId: account.id, name: account.name, email: identity?.email ?? '' };
    return ctx.payments.choose(payer, { plan: input.plan, origin: originOf(ctx) });
  }),
  /** At the end of the paid period. */
  cancel: payingProcedure.mutation(({ ctx }) => ctx.payments.cancel(ctx.accountId)),
  /** Returns the address of Stripe's page for cards, addresses and tax ids. */
  portal: payingProcedure.mutation(({ ctx }) => ctx.payments.portal(ctx.accountId, { origin: originOf(ctx) })),
  /** For people who come back from Stripe, perhaps before its webhook. */
  readBack: payingProcedure.mutation(({ ctx }) => ctx.payments.readBack(ctx.accountId)),
});

/** Only our own pages may send mutations, so the page's origin is that of the dashboard as this person reached it. */
function originOf({ headers, config }: Context): string {
  return headers.origin ?? ownOrigin(config);
}
