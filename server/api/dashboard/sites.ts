// Procedures for sites, their settings, and the account's keys.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { checkRobots, MAX_ROBOTS } from '../../sites/checks/robots.ts';
import { checkSite } from '../../sites/checks/site.ts';
import { countAgain, leaveOut, leftOutOf } from '../../collect/left-out.ts';
import { compileRules, pathRules, storedPage } from '../../sites/paths.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import { arrangeOwn, ownChange } from '../../sites/arrangements.ts';
import { sitesFor } from '../../sites/access.ts';
import { countDrops } from '../../sites/drops.ts';
import { createIngestToken, listIngestTokens, revokeIngestToken } from '../../sites/ingest.ts';
import { recordAction } from '../../accounts/account-log.ts';
import { createKey, listKeys, revokeKey } from '../../accounts/keys.ts';
import { normaliseDomain } from '../../sites/domains/domain.ts';
import { leftOutIn, withoutNetwork } from '../../sites/left-out.ts';
import { reservedUntil } from '../../sites/domains/released-domains.ts';
import { noteClaim, wantedDomains } from '../../sites/domains/claims.ts';
import { changedSettings, settingFields, settingsIn } from '../../sites/settings.ts';
import {
  type LostSite,
  type Site,
  configureSite,
  createSite,
  pauseSite,
  renameSite,
  setHosts,
  siteByDomain,
  toPublicSite,
  verifySite,
} from '../../sites/sites.ts';
import { currentOn } from '../../live/windows.ts';
import { isLimited } from '../../stats/disclosure/rule.ts';
import { breakdownQuestion, day, summaryQuestion } from '../../stats/query.ts';
import { MAX_ADDRESS, MAX_AMOUNT, MAX_RECORD_ID, MAX_ROWS } from '../../vocabulary/limits.ts';
import { DAY_MS, dayOf, isoOf } from '../../vocabulary/time/time.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { mailLoss } from './domain-loss.ts';
import { shownSite } from './shown-site.ts';
import { accountProcedure, type Context, router, type Services, siteProcedure, actorIds, statsFor } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const name = z.string().max(100);
const domain = z.string().max(300);
const timezone = z.string().max(100).optional();
const currency = z.string().length(3);
/** Sites in one question about the last day. */
const MAX_OVERVIEW = 100;
const PREVIEWED_PAGES = 100;

export const sites = router({
  list: accountProcedure('read').query(async ({ ctx }) =>
    (await sitesFor(ctx.directory, ctx.access)).map((site) => shownSite(ctx, site, ctx.access.role)),
  ),
  create: accountProcedure('admin')
    .input(z.strictObject({ domain, timezone, currency: currency.optional(), expected_currency: currency.optional() }))
    .mutation(async ({ ctx, input }) => {
      const { id: accountId } = ctx.access.account;
      const { expected_currency: expectedCurrency, ...chosen } = input;
      const wish = { accountId, ...chosen, expectedCurrency, maxSites: ctx.config.SITES_PER_ACCOUNT };
      const site = await createSite(ctx.directory, wish, ctx.now());
      const ids = { ...actorIds(ctx), site_id: site.id };
      await recordAction(ctx, 'site_made', { ids, domain: site.domain });
      fetchIcon(ctx, site);
      return shownSite(ctx, site, ctx.access.role);
    }),
  /** Tells how to prove that the domain is the account's own. If another account has a site with it, that account is told. */
  claim: accountProcedure('admin')
    .input(z.strictObject({ domain }))
    .mutation(async ({ ctx, input }) => {
      checkVerifies(ctx);
      const claim = { accountId: ctx.access.account.id, domain: normaliseDomain(input.domain) };
      await ctx.takeCheck(claim.accountId);
      const holder = await siteByDomain(ctx.directory, claim.domain);
      const isTaken = holder
        ? holder.account_id !== claim.accountId
        : (await reservedUntil(ctx.directory.db, claim, ctx.now())) !== undefined;
      if (isTaken) await noteClaim(ctx.directory, claim, ctx.now());
      return { domain: claim.domain, token: ctx.ownership.tokenOf(claim), is_taken: isTaken };
    }),
  /** Looks for the account's token. If it is there, the account gets the domain: as a new site, unless it has one already. */
  verify: accountProcedure('admin')
    .input(z.strictObject({ domain }))
    .mutation(async ({ ctx, input }) => {
      checkVerifies(ctx);
      const claim = { accountId: ctx.access.account.id, domain: normaliseDomain(input.domain) };
      await ctx.takeCheck(claim.accountId);
      const seen = await ctx.ownership.check(claim);
      if (!Object.values(seen).includes('found')) return { seen, site: null };
      const holder = await siteByDomain(ctx.directory, claim.domain);
      if (holder && holder.account_id !== claim.accountId) await checkUnproven(ctx, holder);
      const isOwn = holder?.account_id === claim.accountId;
      const losers: LostSite[] = [];
      const onLost = async (db: Kysely<Tables>, lost: LostSite) => {
        losers.push(lost);
        await mailLoss(ctx, db, lost);
      };
      const wish = { ...claim, isVerified: true, maxSites: ctx.config.SITES_PER_ACCOUNT, onLost };
      const site = isOwn
        ? await verifySite(ctx.directory, { siteId: holder.id, domain: claim.domain }, ctx.now())
        : await createSite(ctx.directory, wish, ctx.now());
      const ids = { ...actorIds(ctx), site_id: site.id };
      if (!isOwn) {
        await recordAction(ctx, 'site_made', { ids, domain: site.domain });
        fetchIcon(ctx, site);
      }
      ctx.security.note('domain_verified', ids);
      for (const lost of losers) ctx.security.note('domain_taken', { account_id: lost.accountId, site_id: lost.id });
      return { seen, site: shownSite(ctx, site, ctx.access.role) };
    }),
  /** Whether the site's domain is verified, and how to do it. Null if nobody verifies domains on this server. */
  ownership: siteProcedure('admin').query(async ({ ctx }) => {
    const { site } = ctx.access;
    if (ctx.config.SIGNUP !== 'open') return null;
    return {
      token: ctx.ownership.tokenOf({ accountId: site.account_id, domain: site.domain }),
      verified_at: isoOf(site.verified_at),
      is_lost: site.lost_at !== null,
      is_wanted: (await wantedDomains(ctx.directory, [site], ctx.now())).has(site.domain),
    };
  }),
  rename: siteProcedure('admin')
    .input(z.object({ domain }))
    .mutation(async ({ ctx, input }) =>
      toPublicSite(
        await renameSite(ctx.directory, { siteId: ctx.access.site.id, domain: input.domain }, ctx.now()),
        ctx.now(),
      ),
    ),
  delete: siteProcedure('owner')
    .input(z.object({ confirm_domain: z.string() }))
    .mutation(async ({ ctx, input }) => {
      if (input.confirm_domain !== ctx.access.site.domain)
        throw new Refusal('bad_request', t('confirm_domain: must be the domain of the site to delete.'));
      const { id: site_id, domain } = ctx.access.site;
      await ctx.deleteSite(site_id);
      await ctx.mail.forget(ctx.directory.db, { recipients: [], about: [site_id] });
      await recordAction(ctx, 'site_deleted', { ids: { ...actorIds(ctx), site_id }, domain });
    }),
  settings: siteProcedure('admin').query(({ ctx }) => settingsOf(ctx.access.site, ctx)),
  change: siteProcedure('admin')
    .input(
      z.object({
        paused: z.boolean().optional(),
        extra_hosts: z.array(domain).max(50).optional(),
        respects_gpc: z.boolean().optional(),
        currency: currency.nullable().optional(),
        max_amount: z.int().min(1).max(MAX_AMOUNT).optional(),
        timezone,
        ...settingFields,
      }),
    )
    .mutation(async ({ ctx, input: { paused, extra_hosts, ...input } }) => {
      const { id: siteId, settings: before } = ctx.access.site;
      const settings = changedSettings(before, input);
      let site = await configureSite(ctx.directory, { siteId, ...input, settings }, ctx.now());
      if (extra_hosts) site = await setHosts(ctx.directory, { siteId, hosts: extra_hosts });
      if (paused !== undefined) site = await pauseSite(ctx.directory, { siteId, paused });
      return settingsOf(site, ctx);
    }),
  /** Changes how the caller has arranged this dashboard for themselves. */
  arrange: siteProcedure('own')
    .input(z.object({ change: ownChange }))
    .mutation(({ ctx, input: { change } }) => {
      if (ctx.viewer.kind !== 'user') throw new Refusal('forbidden', t('Log in to do this.'));
      return arrangeOwn(ctx.directory, { siteId: ctx.access.site.id, userId: ctx.viewer.userId }, change);
    }),
  /** Leaves the visits out that come from the caller's network, or counts them again; `forget` counts those of all networks again. */
  ownVisits: siteProcedure('admin')
    .input(z.object({ visits: z.enum(['leave_out', 'count', 'forget']) }))
    .mutation(async ({ ctx, input: { visits } }) => {
      const { id: siteId, settings } = ctx.access.site;
      const address = ctx.requester.address();
      if (visits === 'leave_out' && ctx.peers.hasUntrustedProxy)
        throw new Refusal(
          'bad_request',
          t(
            'Behind this server’s proxy, every visitor has the same address as you: its operator must set TRUST_PROXY first.',
          ),
        );
      const changed = {
        leave_out: () => leaveOut(settings, address),
        count: () => countAgain(settings, address),
        forget: () => withoutNetwork(settings),
      };
      return settingsOf(await configureSite(ctx.directory, { siteId, settings: changed[visits]() }, ctx.now()), ctx);
    }),
  /** Previews other path rules on the most viewed pages of 30 days. Stored events do not change. */
  previewPaths: siteProcedure('admin')
    .input(z.object({ rules: pathRules }))
    .query(async ({ ctx, input }) => {
      const [site, now] = [ctx.access.site, ctx.now()];
      const zone = site.timezone ?? UTC;
      const question = breakdownQuestion.parse({
        site_id: site.id,
        period: 'custom',
        date_from: dayIn(zone, now - 29 * DAY_MS),
        date_to: dayIn(zone, now),
        dimension: 'page',
        metrics: ['pageviews'],
        per_page: PREVIEWED_PAGES,
      });
      const { rows } = await ctx.stats.breakdown(question, site, now);
      const apply = compileRules(input.rules);
      return rows.map(({ name, values }) => ({
        before: name,
        after: apply(storedPage(name)),
        pageviews: values.pageviews ?? 0,
      }));
    }),
  /** Tokens with which the site's servers report requests by AI agents. */
  ingestToken: router({
    list: siteProcedure('admin').query(({ ctx }) => listIngestTokens(ctx.directory, ctx.access.site.id)),
    create: siteProcedure('admin').mutation(async ({ ctx }) => {
      const { id: site_id, domain } = ctx.access.site;
      const made = await createIngestToken(ctx.directory, { siteId: site_id }, ctx.now());
      const ids = { ...actorIds(ctx), site_id, token_id: made.id };
      await recordAction(ctx, 'ingest_token_made', { ids, name: made.prefix, domain });
      return made;
    }),
    revoke: siteProcedure('admin')
      .input(z.object({ id: z.string().max(MAX_RECORD_ID) }))
      .mutation(async ({ ctx, input }) => {
        const { id: site_id, domain } = ctx.access.site;
        const { prefix } = await revokeIngestToken(ctx.directory, { siteId: site_id, tokenId: input.id }, ctx.now());
        const ids = { ...actorIds(ctx), site_id, token_id: input.id };
        await recordAction(ctx, 'ingest_token_revoked', { ids, name: prefix, domain });
      }),
  }),
  /** Tells whether events arrive, and why others were dropped. Polled by the page that waits for the first event. */
  arrivals: siteProcedure('admin').query(async ({ ctx }) => {
    const now = ctx.now();
    const { site } = ctx.access;
    const [times, dropped] = await Promise.all([
      ctx.stats.arrivals(site.id),
      countDrops(ctx.directory, site.id, dayOf(now - 30 * DAY_MS), dayOf(now)),
    ]);
    return { ...times, dropped, paused: site.paused, stray: ctx.collector.strayOf(site, now) };
  }),
  /** What arrived on these days of UTC but was not counted, by reason. */
  dropped: siteProcedure('admin')
    .input(z.object({ date_from: day, date_to: day }))
    .query(({ ctx, input: { date_from, date_to } }) =>
      countDrops(ctx.directory, ctx.access.site.id, date_from, date_to),
    ),
  /** Days of the last 30 on which a single visitor sent a large part of the page views. */
  heaviest: siteProcedure('admin').query(({ ctx, input: { site_id } }) =>
    ctx.stats.heaviest(summaryQuestion.parse({ site_id, period: '30d' }), ctx.access.site, ctx.now()),
  ),
  /** Loads the site's front page and reports what is wrong with its snippet. */
  check: siteProcedure('admin')
    .input(z.object({ script: z.url({ protocol: /^https?$/ }).max(MAX_ADDRESS) }))
    .mutation(async ({ ctx, input }) => {
      await ctx.takeCheck(ctx.access.account.id);
      return checkSite(ctx.outgoing, { site: ctx.access.site, script: new URL(input.script) });
    }),
  /** Tells what the site's robots.txt, or a text given in its place, allows the AI agents of the last 12 months. */
  robots: siteProcedure('admin')
    .input(z.object({ text: z.string().max(MAX_ROBOTS).optional() }))
    .mutation(async ({ ctx, input }) => {
      const [site, now] = [ctx.access.site, ctx.now()];
      const zone = site.timezone ?? UTC;
      if (input.text === undefined) await ctx.takeCheck(ctx.access.account.id);
      const question = breakdownQuestion.parse({
        site_id: site.id,
        dimension: 'ai_agent',
        metrics: ['ai_visits'],
        per_page: MAX_ROWS,
        // Not `12mo`, which ends with the previous month.
        period: 'custom',
        date_from: dayIn(zone, now - 364 * DAY_MS),
        date_to: dayIn(zone, now),
      });
      const { rows } = await ctx.stats.list(question, site, now);
      return checkRobots(ctx.outgoing, { site, text: input.text, agents: rows.map(({ name }) => name) });
    }),
  /** The last day of some of the account's sites. Leaves out sites that the caller may not see. */
  overview: accountProcedure('read')
    .input(z.strictObject({ site_ids: z.array(z.string().max(MAX_RECORD_ID)).min(1).max(MAX_OVERVIEW) }))
    .query(async ({ ctx, input }) => {
      const { access, viewer, windows } = ctx;
      const now = ctx.now();
      const seen = (await sitesFor(ctx.directory, access, input.site_ids)).map((site) => {
        const rule = ruleFor(viewer, { site, role: access.role });
        return { siteId: site.id, rule, inSteps: isLimited(rule) };
      });
      const askDays = async (some: typeof seen) => {
        const stats = await statsFor(ctx, viewer, { accountId: access.account.id, rule: some[0]?.rule });
        const ids = some.map(({ siteId }) => siteId);
        return ids.length > 0 ? [...(await stats.lastDay(ids, now))] : [];
      };
      const [current, ...asked] = await Promise.all([
        currentOn(windows, seen, now),
        askDays(seen.filter(({ inSteps }) => inSteps)),
        askDays(seen.filter(({ inSteps }) => !inSteps)),
      ]);
      const days = new Map(asked.flat());
      return seen.map(({ siteId }) => {
        const { visitors = 0, hours = [] } = days.get(siteId) ?? {};
        const count = current.get(siteId);
        return { site_id: siteId, current_visitors: count === undefined ? 0 : count, visitors_24h: visitors, hours };
      });
    }),
});

export const keys = router({
  list: accountProcedure('owner').query(({ ctx }) => listKeys(ctx.directory, ctx.access.account.id)),
  create: accountProcedure('owner')
    .input(z.strictObject({ name }))
    .mutation(async ({ ctx, input }) => {
      const made = await createKey(ctx.directory, { accountId: ctx.access.account.id, name: input.name }, ctx.now());
      await recordAction(ctx, 'key_made', { ids: { ...actorIds(ctx), key_id: made.id }, name: made.name });
      return made;
    }),
  revoke: accountProcedure('owner')
    .input(z.strictObject({ id: z.string().max(MAX_RECORD_ID) }))
    .mutation(async ({ ctx, input }) => {
      const wish = { accountId: ctx.access.account.id, keyId: input.id };
      const { name } = await revokeKey(ctx.directory, wish, ctx.now());
      await recordAction(ctx, 'key_revoked', { ids: { ...actorIds(ctx), key_id: input.id }, name });
    }),
});

/** So that the page that waits for the first visit shows it. */
function fetchIcon({ favicons, requester, takeIcon }: Context, { domain }: Site): void {
  void favicons.fetchFor(domain, async () => takeIcon(await requester.addressHash()));
}

function checkVerifies({ config }: Pick<Services, 'config'>): void {
  if (config.SIGNUP !== 'open')
    throw new Refusal('forbidden', t('Domains are not verified on this server, because signing up is closed.'));
}

/** Throws bad_request if the account that has the domain has verified it, and its token is still there. */
async function checkUnproven({ ownership }: Pick<Services, 'ownership'>, holder: Site): Promise<void> {
  if (holder.verified_at === null) return;
  const seen = await ownership.check({ accountId: holder.account_id, domain: holder.domain });
  if (Object.values(seen).includes('found'))
    throw new Refusal(
      'bad_request',
      t('Another account has verified {domain} too, and its token is still there: remove that one first.', {
        domain: holder.domain,
      }),
    );
}

function settingsOf(site: Site, { requester }: Pick<Context, 'requester'>) {
  const { paused, extra_hosts, respects_gpc, currency, proposed_currency, max_amount, timezone } = site;
  const own_visits = {
    /** True if the caller's own visits are left out. */
    are_left_out: leftOutOf(site.settings)?.isOwn(requester.address()) ?? false,
    networks: leftOutIn(site.settings)?.networks.length ?? 0,
  };
  return {
    paused,
    extra_hosts,
    respects_gpc,
    currency,
    proposed_currency,
    max_amount,
    timezone,
    own_visits,
    ...settingsIn(site.settings),
  };
}
