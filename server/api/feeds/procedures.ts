// Procedures for the secret addresses of a person on a site. Everybody who logs in and sees the site may have them.
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { type SiteAccess, siteFor, type Viewer } from '../../sites/access.ts';
import { endFeeds, listFeeds, makeFeed } from '../../sites/sharing/feeds.ts';
import { FEED_KINDS, FEEDS } from '../../vocabulary/settings/feeds.ts';
import { actorIds, type Context, router, siteProcedure } from '../trpc.ts';
import { readerOf } from './reader.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const kind = z.enum(FEED_KINDS);

type Caller = { access: SiteAccess; viewer: Viewer };

function ownerOf({ access, viewer }: Caller) {
  if (viewer.kind !== 'user') throw new Refusal('forbidden', t('Log in to have addresses of your own.'));
  return { siteId: access.site.id, userId: viewer.userId };
}

async function checkReader(
  { directory, config, now }: Context,
  { siteId, userId }: ReturnType<typeof ownerOf>,
): Promise<void> {
  const options = { now: now(), billing: billingOf(config) };
  await siteFor(directory, await readerOf(directory, userId), { siteId }, 'own', options);
}

const idsOf = (caller: Caller, feed_id: string) => ({ ...actorIds(caller), site_id: caller.access.site.id, feed_id });

export const feeds = router({
  list: siteProcedure('own').query(({ ctx }) => listFeeds(ctx.directory, ownerOf(ctx))),
  /** Replaces the person's address of this kind. Throws forbidden if they could not read it without their session. */
  make: siteProcedure('own')
    .input(z.object({ kind }))
    .mutation(async ({ ctx, input }) => {
      const owner = ownerOf(ctx);
      await checkReader(ctx, owner);
      const { id, path } = await makeFeed(ctx.directory, { ...owner, kind: input.kind }, ctx.now());
      const about = { name: FEEDS[input.kind].title, domain: ctx.access.site.domain };
      await recordAction(ctx, 'feed_made', { ids: idsOf(ctx, id), ...about });
      return { path };
    }),
  end: siteProcedure('own')
    .input(z.object({ kind }))
    .mutation(async ({ ctx, input }) => {
      const ended = await endFeeds(ctx.directory, { ...ownerOf(ctx), kind: input.kind }, ctx.now());
      const about = { name: FEEDS[input.kind].title, domain: ctx.access.site.domain };
      for (const id of ended) await recordAction(ctx, 'feed_ended', { ids: idsOf(ctx, id), ...about });
    }),
});
