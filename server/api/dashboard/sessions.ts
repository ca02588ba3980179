// Procedures for the sessions of the signed-in user.
import { z } from 'zod';
import { ssoOf } from '../pages/oidc.ts';
import { router, userProcedure } from '../trpc.ts';

const MAX_SESSION_ID = 100; // better-auth's own ids have 32 characters

export const sessions = router({
  list: userProcedure.query(({ ctx }) => ctx.auth.sessions.list(ctx.headers)),
  end: userProcedure
    .input(z.strictObject({ id: z.string().max(MAX_SESSION_ID) }))
    .mutation(({ ctx, input }) => ctx.auth.sessions.end(input, ctx.headers)),
  /** Whether sensitive changes ask for the password, or for a log-in at the issuer. `sso`: where that is. */
  proof: userProcedure.query(async ({ ctx }) => {
    const needed = await ctx.auth.sessions.proofNeeded(ctx.headers);
    return needed.by === 'password' ? needed : { ...needed, sso: ssoOf(ctx) };
  }),
  endOthers: userProcedure.mutation(({ ctx }) => ctx.auth.sessions.endOthers(ctx.headers)),
});
