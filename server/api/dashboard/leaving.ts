// Procedures for leaving Footfall: exporting and deleting an account, or one's own login.
import { z } from 'zod';
import { askDeletion, keepAccount } from '../../accounts/account-deletion.ts';
import { exportUser } from '../../accounts/people/user-export.ts';
import { deleteUser } from '../../accounts/people/user-deletion.ts';
import { cleanFiles } from '../../directory/open.ts';
import { exportAddress } from '../exports/account-export.ts';
import { accountProcedure, router, userProcedure } from '../trpc.ts';

const typed = z.string().max(1_000);
const password = z.string().max(1024);

export const leaving = router({
  /** Returns the address of one download of everything about the account. */
  exportAccount: accountProcedure('owner', { evenExpired: true }).mutation(async ({ ctx }) => {
    const whose = { accountId: ctx.access.account.id, userId: ctx.viewer.userId };
    await ctx.takeExport(whose.accountId);
    return { address: await exportAddress(ctx.directory, whose, ctx.now()) };
  }),
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
