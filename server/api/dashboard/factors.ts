// Procedures for the second factor of the person who is logged in.
import { z } from 'zod';
import { NEW_PASSKEY } from '../../accounts/sign-in/factors/passkeys.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { router, userProcedure } from '../trpc.ts';

const password = z.string().max(1024);
const id = z.string().max(MAX_RECORD_ID);
const MAX_NAME = 1_000; // longer names are refused with a sentence
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
  startPasskey: userProcedure
    .input(z.strictObject({ password }))
    .mutation(({ ctx, input }) => ctx.auth.factors.startPasskey(input, ctx.headers)),
  addPasskey: userProcedure
    .input(z.strictObject({ name: z.string().max(MAX_NAME), response: NEW_PASSKEY }))
    .mutation(({ ctx, input }) => ctx.auth.factors.addPasskey(input, ctx.headers)),
  renamePasskey: userProcedure
    .input(z.strictObject({ id, name: z.string().max(MAX_NAME) }))
    .mutation(({ ctx, input }) => ctx.auth.factors.renamePasskey(input, ctx.headers)),
  removePasskey: userProcedure
    .input(z.strictObject({ id, password }))
    .mutation(({ ctx, input }) => ctx.auth.factors.removePasskey(input, ctx.headers)),
  renewRecoveryCodes: userProcedure
    .input(z.strictObject({ password }))
    .mutation(({ ctx, input }) => ctx.auth.factors.renewRecoveryCodes(input, ctx.headers)),
});
