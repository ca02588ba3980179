// Procedures for what belongs to the signed-in user, whichever account they work in: their e-mail address, and how they read dates and numbers.
import { z } from 'zod';
import { chosenHabits, keepHabits } from '../../directory/habits.ts';
import { countedLink, publicProcedure, router, userProcedure } from '../trpc.ts';

const token = z.strictObject({ token: z.string().max(200) });

export const profile = router({
  /** How dates and numbers are written for this person: here, in the dashboard, and in mails. Null: as their browser does. */
  keepHabits: userProcedure
    .input(chosenHabits)
    .mutation(({ ctx, input }) => keepHabits(ctx.directory.db, ctx.viewer, input)),
  email: userProcedure.query(async ({ ctx }) => ({
    pending: await ctx.auth.emailChanges.pending(ctx.viewer.userId),
    /** If false, only the operator can change an address, since nothing can be confirmed. */
    has_mail: ctx.mail.isOn,
  })),
  /** Mails a link to the old and to the new address. Answers in the same way if the new one belongs to somebody. */
  startEmailChange: userProcedure
    .input(z.strictObject({ email: z.string().max(320), password: z.string().max(1024) }))
    .mutation(({ ctx, input }) => ctx.auth.emailChanges.start(input, ctx.headers)),
  cancelEmailChange: userProcedure.mutation(({ ctx }) => ctx.auth.emailChanges.cancel(ctx.headers)),
  /** What a link confirms. Not a query, whose input would be part of an address. */
  emailLink: publicProcedure
    .input(token)
    .mutation(({ ctx, input }) =>
      countedLink(ctx, { kind: 'email_link', token: input.token }, () => ctx.auth.emailChanges.read(input.token)),
    ),
  confirmEmail: publicProcedure.input(token).mutation(async ({ ctx, input }) => {
    const confirm = () => ctx.auth.emailChanges.confirm(input.token, ctx.headers);
    const { isDone, setCookies } = await countedLink(ctx, { kind: 'email_link', token: input.token }, confirm);
    ctx.setCookies(setCookies);
    return { is_done: isDone };
  }),
});
