// Procedures for the webhooks of the account, for owners and admins.
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { listDeliveries } from '../../messages/webhooks/queue.ts';
import {
  changedWebhook,
  deleteWebhook,
  listWebhooks,
  newWebhook,
  resumeWebhook,
  webhookOf,
} from '../../messages/webhooks/stored.ts';
import { accountProcedure, router } from '../trpc.ts';

/** Far more than a log of 30 days has. */
const MAX_LOG_PAGES = 100_000;
const one = z.strictObject({ id: z.string().max(MAX_RECORD_ID) });
const manager = accountProcedure('admin');

export const webhooks = router({
  list: manager.query(({ ctx }) => listWebhooks(ctx.directory, ctx.access.account.id)),
  /** Returns the secret, which is shown once. */
  create: manager.input(z.strictObject(newWebhook.shape)).mutation(async ({ ctx, input }) => {
    const made = await ctx.webhooks.create({ accountId: ctx.access.account.id, ...input });
    await recordAction(ctx, 'webhook_made', { ids: idsOf(ctx, made), name: made.name });
    return made;
  }),
  /** Without an address the present one stays. */
  change: manager
    .input(z.strictObject({ ...one.shape, ...changedWebhook.shape }))
    .mutation(async ({ ctx, input: { id, name, url } }) => {
      const changed = await ctx.webhooks.change({ accountId: ctx.access.account.id, id, name, url });
      await recordAction(ctx, 'webhook_changed', { ids: idsOf(ctx, { id }), name: changed });
    }),
  /** Returns the new secret, which is shown once. */
  rotate: manager.input(one).mutation(async ({ ctx, input }) => {
    const { name, secret } = await ctx.webhooks.rotate({ accountId: ctx.access.account.id, ...input });
    await recordAction(ctx, 'webhook_rotated', { ids: idsOf(ctx, input), name });
    return { secret };
  }),
  resume: manager.input(one).mutation(async ({ ctx, input }) => {
    const name = await resumeWebhook(ctx.directory, { accountId: ctx.access.account.id, ...input });
    await recordAction(ctx, 'webhook_resumed', { ids: idsOf(ctx, input), name });
  }),
  delete: manager.input(one).mutation(async ({ ctx, input }) => {
    const name = await deleteWebhook(ctx.directory, { accountId: ctx.access.account.id, ...input });
    await recordAction(ctx, 'webhook_deleted', { ids: idsOf(ctx, input), name });
  }),
  /** Its log then has what came of the test. */
  test: manager.input(one).mutation(async ({ ctx, input }) => {
    const accountId = ctx.access.account.id;
    await ctx.takeWebhookTest(accountId);
    await ctx.webhooks.test({ accountId, ...input });
  }),
  /** Sends a delivery again. */
  replay: manager.input(one).mutation(async ({ ctx, input }) => {
    const accountId = ctx.access.account.id;
    await ctx.takeWebhookTest(accountId);
    await ctx.webhooks.replay({ accountId, ...input });
  }),
  /** The deliveries of one webhook, newest first. */
  log: manager
    .input(one.extend({ page: z.int().min(1).max(MAX_LOG_PAGES).default(1) }))
    .query(async ({ ctx, input: { id, page } }) => {
      await webhookOf(ctx.directory.db, { accountId: ctx.access.account.id, id });
      return listDeliveries(ctx.directory, { webhookId: id, page });
    }),
});

type Asked = { access: { account: { id: string } }; viewer: { userId: string } };

function idsOf({ access, viewer }: Asked, { id }: { id: string }) {
  return { account_id: access.account.id, webhook_id: id, user_id: viewer.userId };
}
