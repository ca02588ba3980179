// Procedures for the sessions of the signed-in user.
import { z } from 'zod';
import { router, userProcedure } from './trpc.ts';

const MAX_SESSION_ID = 100; // better-auth's own ids have 32 characters

export const sessions = router({
  list: userProcedure.query(({ ctx }) => ctx.auth.sessions.list(ctx.headers)),
  end: userProcedure
    .input(z.strictObject({ id: z.string().max(MAX_SESSION_ID) }))
    .mutation(({ ctx, input }) => ctx.auth.sessions.end(input, ctx.headers)),
  endOthers: userProcedure.mutation(({ ctx }) => ctx.auth.sessions.endOthers(ctx.headers)),
});
