// Procedures for share links, and for those who open one.
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { hashLinkPassword } from '../../accounts/sign-in/passwords/link-password.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { siteFor } from '../../sites/access.ts';
import { settingsIn } from '../../sites/settings.ts';
import { DEMO_TOKEN } from '../../sites/sharing/demo.ts';
import { isDraftToken, saveDraft } from '../../sites/sharing/drafts.ts';
import { checkOffered, publicDashboards } from '../../sites/sharing/public-links.ts';
import { changeShareLink, createShareLink, listShareLinks, revokeShareLink } from '../../sites/sharing/share.ts';
import { noteView } from '../../sites/sharing/uses.ts';
import { showsPart } from '../../vocabulary/settings/share-links.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { arrangedBy, partsOfShared, shownParts, shownSite } from '../dashboard/shown-site.ts';
import { actorIds, type Context, publicProcedure, router, siteProcedure } from '../trpc.ts';
import { openedLink, SHARE_TOKEN } from '../viewer.ts';
import { linkContent, linkName, shownContent } from './content.ts';
import { askedPiece, drawPiece } from './pieces.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

const id = z.string().max(MAX_RECORD_ID);
const INVALID = message('This link is no longer valid: ask its owner for a new one.');

/** Returns the content as it is stored. */
async function storedContent<Content extends { password?: string | null | undefined }>({
  password,
  ...content
}: Content) {
  const passwordHash = password ? await hashLinkPassword(password) : password;
  return { ...content, ...(passwordHash !== undefined && { passwordHash }) };
}

/** What the caller's token opens. Throws not_found, and the reason why a link shows nothing now. */
async function linkOf(ctx: Context, { evenLocked = false } = {}) {
  const token = ctx.headers[SHARE_TOKEN];
  const opened = typeof token === 'string' ? await openedLink(ctx, { token, headers: ctx.headers }) : undefined;
  if (!opened) throw new Refusal('not_found', say(INVALID));
  if (opened.refusal && !(evenLocked && opened.refusal.code === 'unauthorized')) throw opened.refusal;
  return opened.link;
}

export const shares = router({
  /** `public_dashboards`: whether this server has them, and lists them. */
  list: siteProcedure('admin').query(async ({ ctx }) => ({
    links: await listShareLinks(ctx.directory, ctx.access.site.id),
    public_dashboards: publicDashboards(ctx.config),
  })),
  create: siteProcedure('admin')
    .input(z.object({ name: linkName, ...linkContent }))
    .mutation(async ({ ctx, input: { site_id: _, ...input } }) => {
      const { id: site_id, domain } = ctx.access.site;
      checkOffered(ctx.config, input);
      const wish = { siteId: site_id, ...(await storedContent(input)) };
      const made = await createShareLink(ctx.directory, wish, ctx.now());
      const ids = { ...actorIds(ctx), site_id, link_id: made.id };
      await recordAction(ctx, 'share_link_made', { ids, name: made.name, domain });
      return made;
    }),
  /** Changes what is given. */
  change: siteProcedure('admin')
    .input(z.object({ id, name: linkName.optional(), ...linkContent }))
    .mutation(async ({ ctx, input: { id: linkId, site_id: _, ...input } }) => {
      const { id: site_id, domain } = ctx.access.site;
      checkOffered(ctx.config, input);
      const wish = { siteId: site_id, linkId, ...(await storedContent(input)) };
      const { name } = await changeShareLink(ctx.directory, wish, ctx.now());
      const ids = { ...actorIds(ctx), site_id, link_id: linkId };
      await recordAction(ctx, 'share_link_changed', { ids, name, domain });
    }),
  revoke: siteProcedure('admin')
    .input(z.object({ id }))
    .mutation(async ({ ctx, input }) => {
      const { id: site_id, domain } = ctx.access.site;
      const { name } = await revokeShareLink(ctx.directory, { siteId: site_id, linkId: input.id }, ctx.now());
      const ids = { ...actorIds(ctx), site_id, link_id: input.id };
      await recordAction(ctx, 'share_link_revoked', { ids, name, domain });
    }),
  /** Returns a token with which the caller alone sees what a link with this content would show. */
  draft: siteProcedure('admin')
    .input(z.object(shownContent))
    .mutation(({ ctx, input: { site_id: _, ...input } }) => {
      if (ctx.viewer.kind !== 'user') throw new Refusal('forbidden', t('Log in to do this.'));
      const whose = { siteId: ctx.access.site.id, userId: ctx.viewer.userId };
      return saveDraft(ctx.directory, { ...whose, ...input }, ctx.now());
    }),
  /**
   * Returns the site of the caller's share link, and what the link shows. `about`: what the page of a public one says to visitors of the site. Throws
   * unauthorized if it asks for a password.
   */
  site: publicProcedure.query(async ({ ctx }) => {
    const { linkId, siteId, shows, rules, looks, public: isPublic } = await linkOf(ctx);
    const viewer = { kind: 'share', linkId, siteId, shows, rules } as const;
    const options = { now: ctx.now(), billing: billingOf(ctx.config) };
    const access = await siteFor(ctx.directory, viewer, { siteId }, 'read', options);
    const parts = shownParts(await partsOfShared(ctx, viewer, access));
    const token = String(ctx.headers[SHARE_TOKEN]);
    if (token !== DEMO_TOKEN && !isDraftToken(token)) await noteView(ctx.directory, { linkId, siteId }, ctx.now());
    const { currency, is_currency_proposed, ...site } = shownSite({ ...ctx, viewer }, access.site, access.role);
    const hasRevenue = showsPart(rules, 'revenue');
    const { shown: has_page, contact } = settingsIn(access.site.settings).transparency;
    const hasPublic = isPublic && publicDashboards(ctx.config) !== 'off';
    return {
      ...site,
      currency: hasRevenue ? currency : null,
      is_currency_proposed: hasRevenue && is_currency_proposed,
      ...parts,
      ...arrangedBy({ ...site.arrangement, ...looks.arrangement }),
      shows,
      rules,
      looks,
      about: hasPublic ? { has_page, contact } : null,
    };
  }),
  /** One piece of the dashboard, drawn: see pieces.ts. */
  piece: siteProcedure('read', { part: 'any' })
    .input(askedPiece)
    .query(({ ctx, input }) => drawPiece(ctx, input)),
  /** Lets this browser open a link that asks for a password. */
  unlock: publicProcedure.input(z.strictObject({ password: z.string().max(200) })).mutation(async ({ ctx, input }) => {
    const link = await linkOf(ctx, { evenLocked: true });
    if (link.password_hash === undefined) return;
    const asked = { linkId: link.linkId, hash: link.password_hash, password: input.password };
    await ctx.auth.checkLinkPassword(asked, { headers: ctx.headers, addressHash: ctx.requester.addressHash });
    ctx.setCookies([ctx.unlocked.cookieFor(link, ctx.now())]);
  }),
});
