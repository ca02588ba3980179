// Procedures for the people of an account: their roles, invitations, and joining by a link.
import { z } from 'zod';
import { accountCookie } from '../../accounts/chosen-account.ts';
import { accountsOf, normaliseEmail } from '../../accounts/accounts.ts';
import { recordAction } from '../../accounts/account-log.ts';
import {
  checkAddress,
  createInvitation,
  type Invitation,
  invitationOf,
  join,
  listInvitations,
  OVER,
  withdrawInvitation,
} from '../../accounts/people/invitations.ts';
import { changeMember, listMembers, type Place, removeMember } from '../../accounts/people/people.ts';
import { isServedSecurely } from '../../config.ts';
import { ROLES } from '../../vocabulary/accounts/roles.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { accountProcedure, type Context, publicProcedure, router, userProcedure } from '../trpc.ts';
import { say, t } from '../../vocabulary/habits/messages.ts';

const MAX_NAMED_SITES = 1000;
const id = z.string().max(MAX_RECORD_ID);
const place = {
  role: z.enum(ROLES),
  /** The only sites that a viewer may see; null for all. */
  site_ids: z.array(id).max(MAX_NAMED_SITES).nullable().default(null),
};
const token = z.string().max(200);
const credentials = z.strictObject({ email: z.string().max(320), password: z.string().max(1024) });

const manager = accountProcedure('admin', { evenExpired: true });

export const people = router({
  list: manager.query(async ({ ctx }) => {
    const { id: accountId } = ctx.access.account;
    const [members, invitations] = await Promise.all([
      listMembers(ctx.directory, accountId),
      listInvitations(ctx.directory, accountId, ctx.now()),
    ]);
    return {
      members: members.map(({ userId, email, joinedAt, ...at }) => ({
        user_id: userId,
        email,
        joined_at: joinedAt,
        ...shownPlace(at),
      })),
      invitations: invitations.map(shownInvitation),
      /** True if an invitation with an e-mail address is also sent there. */
      sends_mail: ctx.mail.isOn,
    };
  }),
  /** Returns the token of the invitation's link, which is shown once. */
  invite: manager
    .input(z.strictObject({ ...place, email: z.string().max(320).optional() }))
    .mutation(async ({ ctx, input }) => {
      const { accountId, by } = whoIn(ctx);
      const { name: account } = ctx.access.account;
      if (input.email !== undefined && ctx.mail.isOn) await ctx.takeInvitation(accountId);
      const made = await createInvitation(
        ctx.directory,
        {
          accountId,
          by,
          place: placeOf(input),
          email: input.email,
          notify: (db, { id: invitationId, token: link, email: to }) => {
            const data = { account, token: link };
            return ctx.mail.send(db, { kind: 'invitation', key: `invitation ${accountId} ${invitationId}`, to, data });
          },
        },
        ctx.now(),
      );
      const ids = { account_id: accountId, user_id: by, invitation_id: made.id };
      await recordAction(ctx, 'member_invited', { ids, name: input.role });
      return made;
    }),
  withdraw: manager.input(z.strictObject({ id })).mutation(async ({ ctx, input }) => {
    const { accountId, by } = whoIn(ctx);
    const { role } = await withdrawInvitation(ctx.directory, { accountId, by, id: input.id });
    const ids = { account_id: accountId, user_id: by, invitation_id: input.id };
    await recordAction(ctx, 'invitation_withdrawn', { ids, name: role });
  }),
  change: manager.input(z.strictObject({ user_id: id, ...place })).mutation(async ({ ctx, input }) => {
    const { accountId, by } = whoIn(ctx);
    await changeMember(ctx.directory, { accountId, by, userId: input.user_id, place: placeOf(input) });
    const ids = { account_id: accountId, user_id: by, member_id: input.user_id };
    await recordAction(ctx, 'role_changed', { ids, name: input.role });
  }),
  remove: manager.input(z.strictObject({ user_id: id })).mutation(async ({ ctx, input }) => {
    const { accountId, by } = whoIn(ctx);
    await removeMember(ctx.directory, { accountId, by, userId: input.user_id });
    const ids = { account_id: accountId, user_id: by, member_id: input.user_id };
    await recordAction(ctx, 'member_removed', { ids });
  }),
  /** Ends one's own membership of an account. */
  leave: userProcedure.input(z.strictObject({ account_id: id })).mutation(async ({ ctx, input }) => {
    const { userId } = ctx.viewer;
    const accountId = await ownAccount(ctx, userId, input.account_id);
    await removeMember(ctx.directory, { accountId, by: userId, userId });
    await recordAction(ctx, 'member_left', { ids: { account_id: accountId, user_id: userId } });
  }),
  /** Chooses the account that this browser shows. */
  switch: userProcedure.input(z.strictObject({ account_id: id })).mutation(async ({ ctx, input }) => {
    const accountId = await ownAccount(ctx, ctx.viewer.userId, input.account_id);
    ctx.setCookies([accountCookie(accountId, { isSecure: isServedSecurely(ctx.config) })]);
  }),
  /** Returns what a link offers. Not a query, whose input would be part of an address. */
  invitation: publicProcedure.input(z.strictObject({ token })).mutation(async ({ ctx, input }) => {
    const offer = await checkedInvitation(ctx, input.token);
    const { accountName, expiresAt, ...rest } = offer;
    // Somebody who belongs to no account has no session that other procedures would show.
    const me = ctx.viewer?.kind === 'user' ? await ctx.auth.identify(ctx.headers) : undefined;
    return { ...rest, account_name: accountName, expires_at: expiresAt, signed_in_as: me?.email ?? null };
  }),
  /** Uses an invitation, as the signed-in user or as a new one with these credentials, who is then signed in. */
  join: publicProcedure
    .input(z.strictObject({ token, user: credentials.optional() }))
    .mutation(async ({ ctx, input }) => {
      const { email } = await checkedInvitation(ctx, input.token);
      if (input.user) checkAddress(email, normaliseEmail(input.user.email));
      const caller = { headers: ctx.headers, addressHash: ctx.requester.addressHash };
      const who = input.user
        ? { user: await ctx.auth.prepareUser(input.user, caller) }
        : ctx.viewer?.kind === 'user' && { userId: ctx.viewer.userId };
      if (!who) throw new Refusal('unauthorized', t('Log in, or choose a password, to use this invitation.'));
      const joined = await join(ctx.directory, { token: input.token, who }, ctx.now());
      const ids = { account_id: joined.accountId, user_id: joined.userId };
      await recordAction(ctx, 'member_joined', { ids, name: joined.role });
      ctx.setCookies([accountCookie(joined.accountId, { isSecure: isServedSecurely(ctx.config) })]);
      if (!input.user) return;
      ctx.setCookies((await ctx.auth.signIn(input.user, caller)).setCookies);
    }),
});

/** Throws not_found, and too_many_requests for an address that guesses. */
async function checkedInvitation(ctx: Context, text: string) {
  const offer = await invitationOf(ctx.directory, text, ctx.now());
  if (offer) return offer;
  await ctx.wrongTokens.count('invitation', { token: text, addressHash: ctx.requester.addressHash });
  throw new Refusal('not_found', say(OVER));
}

async function ownAccount(ctx: Context, userId: string, accountId: string): Promise<string> {
  const own = await accountsOf(ctx.directory, userId);
  if (!own.some((account) => account.id === accountId)) throw new Refusal('not_found', t('There is no such account.'));
  return accountId;
}

function whoIn({ access, viewer }: { access: { account: { id: string } }; viewer: { userId: string } }) {
  return { accountId: access.account.id, by: viewer.userId };
}

const placeOf = ({ role, site_ids }: { role: Place['role']; site_ids: string[] | null }): Place => {
  return { role, siteIds: site_ids as SiteId[] | null };
};
const shownPlace = ({ role, siteIds }: Place) => ({ role, site_ids: siteIds });

function shownInvitation({ id: invitationId, email, expiresAt, ...at }: Invitation) {
  return { id: invitationId, email, expires_at: expiresAt, ...shownPlace(at) };
}
