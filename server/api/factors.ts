// Procedures for the second factor of the person who is logged in.
import { z } from 'zod';
import { router, userProcedure } from './trpc.ts';

const password = z.string().max(1024);
const code = z.string().max(100);

export const factors = router({
  list: userProcedure.query(({ ctx }) => ctx.auth.factors.list(ctx.headers)),
  startAuthenticator: userProcedure
    .input(z.strictObject({ password }))
    .mutation(({ ctx, input }) => ctx.auth.factors.startAuthenticator(input, ctx.headers)),
  confirmAuthenticator: userProcedure
    .input(z.strictObject({ code }))
    .mutation(({ ctx, input }) => ctx.auth.factors.confirmAuthenticator(input, ctx.headers)),
  removeAuthenticator: userProcedure
    .input(z.strictObject({ password, code }))
    .mutation(({ ctx, input }) => ctx.auth.factors.removeAuthenticator(input, ctx.headers)),
  renewRecoveryCodes: userProcedure
    .input(z.strictObject({ password }))
    .mutation(({ ctx, input }) => ctx.auth.factors.renewRecoveryCodes(input, ctx.headers)),
});
