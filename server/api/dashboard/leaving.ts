// Procedures for leaving Footfall: exports, which a job makes, and the deletion of an account or of one's own login.
import { z } from 'zod';
import { askExport, deleteExport, type Export, listExports, toPublicExport } from '../../accounts/exports.ts';
import { readRecipient } from '../../directory/sealing.ts';
import { recordAction } from '../../accounts/account-log.ts';
import { Refusal } from '../../errors.ts';
import { listSites } from '../../sites/sites.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { EXPORT_KINDS } from '../../vocabulary/settings/exports.ts';
import { addressOf } from '../exports/download.ts';
import { askDeletion, keepAccount } from '../../accounts/account-deletion.ts';
import { exportUser } from '../../accounts/people/user-export.ts';
import { deleteUser } from '../../accounts/people/user-deletion.ts';
import { cleanFiles } from '../../directory/open.ts';
import { accountProcedure, router, userProcedure } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const typed = z.string().max(1_000);
const password = z.string().max(1024);

export const leaving = router({
  /** Everything about the person. A mutation, so that a link on another page cannot ask. */
  exportUser: userProcedure.mutation(async ({ ctx }) => {
    const { userId } = ctx.viewer;
    await ctx.takeExport(userId);
    ctx.security.note('profile_exported', { user_id: userId });
    return exportUser(ctx.directory, userId);
  }),
  /** The account is deleted seven days later, unless an owner keeps it. `typed`: its name. */
  deleteAccount: accountProcedure('owner', { evenExpired: true })
    .input(z.strictObject({ typed, password }))
    .mutation(async ({ ctx, input }) => {
      const ids = { account_id: ctx.access.account.id, user_id: ctx.viewer.userId };
      await ctx.auth.prove(input.password, ctx.headers);
      const { deletesAt } = await askDeletion(
        ctx.directory,
        {
          accountId: ids.account_id,
          by: ids.user_id,
          typed: input.typed,
          notify: async (db, { account, owners, deletesAt: until }) => {
            const data = { account: account.name, until };
            for (const { userId, email: to } of owners) {
              const key = `deletion_asked ${account.id} ${userId} ${until}`;
              await ctx.mail.send(db, { kind: 'deletion_asked', key, to, data });
            }
          },
        },
        ctx.now(),
      );
      ctx.security.note('deletion_asked', ids);
      return { deletes_at: deletesAt };
    }),
  /** Takes the deletion back. */
  keepAccount: accountProcedure('owner', { evenExpired: true }).mutation(async ({ ctx }) => {
    const ids = { account_id: ctx.access.account.id, user_id: ctx.viewer.userId };
    await keepAccount(ctx.directory, { accountId: ids.account_id, by: ids.user_id }, ctx.now());
    ctx.security.note('deletion_taken_back', ids);
  }),
  /** Deletes the person's login at once. `typed`: their e-mail address. */
  deleteUser: userProcedure.input(z.strictObject({ typed, password })).mutation(async ({ ctx, input }) => {
    const { userId, email } = await ctx.auth.prove(input.password, ctx.headers);
    const leaver = { userId, email, typed: input.typed, forgetMail: ctx.mail.forget };
    await deleteUser(ctx.directory, leaver, ctx.now());
    ctx.security.note('login_deleted', { user_id: userId });
    // The login is gone, so the request has done what was asked.
    await cleanFiles(ctx.directory).catch((error: unknown) =>
      ctx.log.warn({ error }, 'files may still hold rows of a deleted login'),
    );
  }),
});

/** Also after the plan has ended. */
const owner = accountProcedure('owner', { evenExpired: true });

/** `address`: null until it is ready. */
const shown = (one: Export) => ({
  ...toPublicExport(one),
  address: one.state === 'ready' ? addressOf(one) : null,
});

export const exports = router({
  list: owner.query(async ({ ctx }) =>
    (await listExports(ctx.directory, { accountId: ctx.access.account.id }, ctx.now())).map(shown),
  ),
  /** `site`: null for all sites of the account. */
  make: owner
    .input(
      z.object({
        site: z.string().max(MAX_RECORD_ID).nullable(),
        kind: z.enum(EXPORT_KINDS),
        /** Of a sealed export: the key that the other server shows. */
        recipient: z.string().max(100).optional(),
      }),
    )
    .mutation(async ({ ctx, input: { site: siteId, kind, recipient = '' } }) => {
      if (kind === 'sealed') readRecipient(recipient);
      const accountId = ctx.access.account.id;
      const { userId } = ctx.viewer;
      const site = siteId === null ? null : (await listSites(ctx.directory, accountId)).find(({ id }) => id === siteId);
      if (site === undefined) throw new Refusal('not_found', t('There is no such site in this account.'));
      await ctx.takeExport(accountId);
      const wish = {
        accountId,
        userId,
        siteId: site?.id ?? null,
        kind,
        recipient: kind === 'sealed' ? recipient : null,
      };
      const one = await askExport(ctx.directory, wish, ctx.now());
      await recordAction(ctx, 'exported', {
        ids: { account_id: accountId, user_id: userId },
        ...(site && { domain: site.domain }),
      });
      return shown(one);
    }),
  delete: owner
    .input(z.object({ id: z.string().max(MAX_RECORD_ID) }))
    .mutation(({ ctx, input: { id } }) => deleteExport(ctx.directory, { accountId: ctx.access.account.id, id })),
});
