// Sites: creating, renaming, pausing, configuring and deleting them, and finding them by domain or id.
import { domainToASCII } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { type Directory, isDuplicate } from '../directory/open.ts';
import { countingAnew } from './definitions/counted-alerts.ts';
import { DEFAULT_MAX_AMOUNT, isCurrency } from './currency.ts';
import { normaliseDomain, normaliseHost } from './domains/domain.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';
import { isId, makeId } from '../directory/ids.ts';
import { claimDomain, reserveDomain } from './domains/released-domains.ts';
import { endConnection } from './search-grants.ts';
import { logAction } from '../accounts/account-log.ts';
import { hasQuota } from '../accounts/billing/plans.ts';
import { readZone, UTC } from '../vocabulary/time/zones.ts';
import type { Tables } from '../directory/schema.ts';
import { message, say, t } from '../vocabulary/habits/messages.ts';

const MAX_EXTRA_HOSTS = 50;
const MAX_SETTINGS_LENGTH = 32_768;
const IDS_PER_STATEMENT = 500; // SQLite binds at most 32,766 values

export type Site = {
  id: SiteId;
  account_id: string;
  domain: string;
  created_at: number;
  paused: boolean;
  /** Other hosts whose pages count, besides the domain and its subdomains. */
  extra_hosts: string[];
  respects_gpc: boolean;
  /** ISO 4217, chosen by the owner; null until then. */
  currency: string | null;
  /** That of the owner's language: becomes `currency` if the first payment has it, too. */
  expected_currency: string | null;
  /** The currency of the first payment. It is only a proposal to the owner, since anybody can send a payment. */
  proposed_currency: string | null;
  /** Payments above this are implausible and counted separately. In units of each payment's own currency. */
  max_amount: number;
  settings: Record<string, unknown>;
  first_event_at: number | null;
  last_event_at: number | null;
  /**
   * The IANA name of the site's time zone; null until somebody chooses one. A site without one has only ever had UTC days. Once chosen, it
   * is never null again, since the site then has events on days of that zone.
   */
  timezone: string | null;
  /** When the account proved that the domain is its own, and when another account did, so that this site stopped counting. */
  verified_at: number | null;
  lost_at: number | null;
  moved_at: number | null;
};

/** The site as the API shows it. */
type PublicSite = { id: string; domain: string; created_at: string; tracking: boolean };

export const NO_SUCH_SITE = message('There is no such site in this account.');

type NewSite = {
  accountId: string;
  domain: string;
  maxSites?: number;
  timezone?: string | undefined;
  /** The owner's choice. */
  currency?: string | undefined;
  expectedCurrency?: string | undefined;
  /** True if the account has proved that the domain is its own: then it gets the domain of another account's site. */
  isVerified?: boolean;
  /** Runs in the transaction if it does, to tell that account. */
  onLost?(db: Kysely<Tables>, lost: LostSite): Promise<void>;
};

/** A site whose domain another account has verified. `name` is the site's new one. */
export type LostSite = { id: SiteId; accountId: string; domain: string; name: string };

/** Throws bad_request if the domain is taken or reserved, or the account has `maxSites` sites already. */
export async function createSite(directory: Directory, input: NewSite, now: number): Promise<Site> {
  const { accountId, maxSites = Infinity, isVerified = false } = input;
  const domain = normaliseDomain(input.domain);
  const timezone = input.timezone === undefined ? UTC : checkZone(input.timezone);
  for (const code of [input.currency, input.expectedCurrency]) if (code !== undefined) checkCurrency(code);
  return directory.db.transaction().execute(async (db) => {
    // Locks the account's row, so that concurrent requests cannot exceed the limit together.
    await db.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
    const counted = db.selectFrom('sites').select((eb) => eb.fn.countAll<number>().as('count'));
    const own = await counted.where('account_id', '=', accountId).executeTakeFirstOrThrow();
    if (own.count >= maxSites)
      throw new Refusal(
        'bad_request',
        t('An account can have {maxSites} sites: delete one to add another.', { maxSites }),
      );
    await claimDomain(db, { domain, accountId, isVerified }, now);
    const lost = isVerified ? await loseDomain(db, { domain, accountId }, now) : undefined;
    if (lost) await input.onLost?.(db, lost);
    const row = await db
      .insertInto('sites')
      .values({
        id: makeId('site', 16) as SiteId,
        account_id: accountId,
        domain,
        created_at: now,
        paused: 0,
        extra_hosts: '[]',
        respects_gpc: 0,
        currency: input.currency ?? null,
        expected_currency: input.expectedCurrency ?? null,
        proposed_currency: null,
        max_amount: DEFAULT_MAX_AMOUNT,
        settings: '{}',
        first_event_at: null,
        last_event_at: null,
        timezone: timezone === UTC ? null : timezone,
        verified_at: isVerified ? now : null,
        lost_at: null,
        moved_at: null,
      })
      .onConflict((conflict) => conflict.column('domain').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!row) throw taken(domain);
    return readSite(row);
  });
}

/**
 * Takes the domain away from the site of any account but this one. The site keeps its history under a name that no page can have, and stops
 * counting.
 */
async function loseDomain(
  db: Directory['db'],
  { domain, accountId }: { domain: string; accountId: string },
  now: number,
): Promise<LostSite | undefined> {
  const others = db.selectFrom('sites').select(['id', 'account_id']).where('domain', '=', domain);
  const lost = await others.where('account_id', '!=', accountId).executeTakeFirst();
  if (!lost) return undefined;
  const stem = `${domain}.until-${dayOf(now)}`;
  const taken = db.selectFrom('sites').select('domain').where('domain', 'like', `${stem}%`);
  const names = new Set((await taken.execute()).map((row) => row.domain));
  let name = stem;
  for (let count = 2; names.has(name); count += 1) name = `${stem}-${count}`;
  // By domain too: the other account may have renamed its site since.
  const renamed = await db
    .updateTable('sites')
    .set({ domain: name, lost_at: now, verified_at: null, paused: 1 })
    .where('id', '=', lost.id)
    .where('domain', '=', domain)
    .executeTakeFirst();
  if (renamed.numUpdatedRows === 0n) return undefined;
  const entry = { action: 'domain_lost', account_id: lost.account_id, actor: 'other_account', domain, name } as const;
  await logAction(db, entry, now);
  return { id: lost.id, accountId: lost.account_id, domain, name };
}

/** Records that the site's account has proved that the domain is its own. Throws not_found if the site has another domain by now. */
export async function verifySite(
  { db }: Directory,
  { siteId, domain }: { siteId: SiteId; domain: string },
  now: number,
): Promise<Site> {
  const sites = db.updateTable('sites').set({ verified_at: now }).where('id', '=', siteId);
  const row = await sites.where('domain', '=', domain).returningAll().executeTakeFirst();
  if (!row) throw new Refusal('not_found', say(NO_SUCH_SITE));
  return readSite(row);
}

/** Renames a site. The old domain stays reserved for the account, unless it belongs to another one now. */
export async function renameSite(
  directory: Directory,
  input: { siteId: SiteId; domain: string },
  now: number,
): Promise<Site> {
  const domain = normaliseDomain(input.domain);
  try {
    return await directory.db.transaction().execute(async (db) => {
      const before = await changeSite({ db }, input.siteId, {});
      if (before.domain === domain) return before;
      await claimDomain(db, { domain, accountId: before.account_id, isVerified: false }, now);
      const isLost = before.lost_at !== null;
      if (!isLost) await reserveDomain(db, { domain: before.domain, accountId: before.account_id }, now);
      const counts = isLost && { paused: 0 as const };
      return await changeSite({ db }, input.siteId, { domain, verified_at: null, lost_at: null, ...counts });
    });
  } catch (error) {
    throw isDuplicate(error) ? taken(domain) : error;
  }
}

/**
 * Removes the site and its settings. Its domain stays reserved for the account. The caller deletes its events, immediately and again later
 * (see `deletedBefore`).
 */
export async function deleteSite(directory: Directory, input: { siteId: SiteId }, now: number): Promise<void> {
  await directory.db.transaction().execute(async (db) => {
    await db.deleteFrom('drops').where('site_id', '=', input.siteId).execute();
    // Locks the site's row, so that nobody connects the site between these two deletions.
    await db.updateTable('sites').set({ id: input.siteId }).where('id', '=', input.siteId).execute();
    await endConnection(db, input.siteId, now);
    const deleting = db
      .deleteFrom('sites')
      .where('id', '=', input.siteId)
      .returning(['domain', 'account_id', 'lost_at']);
    const site = await deleting.executeTakeFirst();
    if (!site) throw new Refusal('not_found', say(NO_SUCH_SITE));
    if (site.lost_at === null) await reserveDomain(db, { domain: site.domain, accountId: site.account_id }, now);
    await db.insertInto('deletions').values({ site_id: input.siteId, deleted_at: now }).execute();
    await endWholeExports(db, site.account_id);
    // Its reports are due at once, paused or not: without their site they end, and their owners are told.
    await db.updateTable('reports').set({ paused: 0, due_at: now }).where('site_id', '=', input.siteId).execute();
  });
}

/** Exports of a whole account hold the rows of each of its sites: they end when one leaves it. */
export async function endWholeExports(db: Kysely<Tables>, accountId: string): Promise<void> {
  await db.deleteFrom('exports').where('account_id', '=', accountId).where('site_id', 'is', null).execute();
}

/** Returns the sites deleted before an instant. Some of their events may have been stored since, from another process's queue. */
export async function deletedBefore(directory: Directory, before: number): Promise<SiteId[]> {
  const rows = await directory.db.selectFrom('deletions').select('site_id').where('deleted_at', '<', before).execute();
  return rows.map(({ site_id }) => site_id);
}

export async function finishDeletion(directory: Directory, siteId: SiteId): Promise<void> {
  await directory.db.deleteFrom('deletions').where('site_id', '=', siteId).execute();
}

export async function pauseSite(directory: Directory, input: { siteId: SiteId; paused: boolean }): Promise<Site> {
  const { lost_at } = await changeSite(directory, input.siteId, {});
  if (lost_at !== null && !input.paused)
    throw new Refusal(
      'bad_request',
      t('The domain of this site belongs to another account now: rename the site first.'),
    );
  return changeSite(directory, input.siteId, { paused: input.paused ? 1 : 0 });
}

/** Replaces the list of extra hosts. Each is normalised like a domain. */
export async function setHosts(directory: Directory, input: { siteId: SiteId; hosts: string[] }): Promise<Site> {
  if (input.hosts.length > MAX_EXTRA_HOSTS)
    throw new Refusal('bad_request', t('A site can have at most {MAX_EXTRA_HOSTS} extra hosts.', { MAX_EXTRA_HOSTS }));
  const hosts = [...new Set(input.hosts.map(normaliseHost))].sort();
  return changeSite(directory, input.siteId, { extra_hosts: JSON.stringify(hosts) });
}

export async function configureSite(
  directory: Directory,
  input: {
    siteId: SiteId;
    respects_gpc?: boolean | undefined;
    currency?: string | null | undefined;
    max_amount?: number | undefined;
    settings?: Readonly<Record<string, unknown>> | undefined;
    timezone?: string | undefined;
  },
  now: number,
): Promise<Site> {
  const { currency, max_amount, respects_gpc, siteId } = input;
  if (currency) checkCurrency(currency);
  const settings = input.settings && JSON.stringify(input.settings);
  if (settings && settings.length > MAX_SETTINGS_LENGTH)
    throw new Refusal(
      'bad_request',
      t('The settings are too long: at most {MAX_SETTINGS_LENGTH} characters are allowed.', { MAX_SETTINGS_LENGTH }),
    );
  const timezone = input.timezone === undefined ? undefined : checkZone(input.timezone);
  return directory.db.transaction().execute(async (db) => {
    const before = await changeSite({ db }, siteId, {});
    // A site without a zone already has UTC days, so it needs no zone for them.
    const isZoneKept = timezone === UTC && before.timezone === null;
    const after = await changeSite({ db }, siteId, {
      ...(timezone !== undefined && !isZoneKept && { timezone }),
      ...(respects_gpc !== undefined && { respects_gpc: respects_gpc ? 1 : 0 }),
      ...(currency !== undefined && { currency, expected_currency: null }),
      ...(max_amount !== undefined && { max_amount }),
      ...(settings !== undefined && { settings }),
    });
    // Alerts about payments count from now on: until now they counted other payments. Accepting the proposed currency changes nothing.
    const counted = before.currency ?? before.proposed_currency;
    const counts = after.currency ?? after.proposed_currency;
    if (counts !== counted || after.max_amount !== before.max_amount)
      await db
        .updateTable('alerts')
        .set(countingAnew(now))
        .where('kind', '=', 'payment')
        .where('site_id', '=', siteId)
        .execute();
    return after;
  });
}

/** Returns the sites of an account, oldest first. `among`: only those with one of these ids. */
export async function listSites(directory: Directory, accountId: string, among?: readonly string[]): Promise<Site[]> {
  const rows = await directory.db
    .selectFrom('sites')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(among !== undefined, (query) => query.where('id', 'in', (among ?? []) as SiteId[]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readSite);
}

/** Returns the sites of every account with a monthly quota, by account. */
export async function sitesUnderQuota(directory: Directory): Promise<Map<string, Pick<Site, 'id' | 'moved_at'>[]>> {
  const rows = await directory.db
    .selectFrom('sites')
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .select(['sites.id', 'account_id', 'kind', 'moved_at'])
    .execute();
  return Map.groupBy(rows.filter(hasQuota), (row) => row.account_id);
}

/** Accepts any case, Unicode and punycode, because the collector passes on the domain as the snippet spells it. */
export async function siteByDomain(directory: Directory, domain: string): Promise<Site | undefined> {
  const ascii = domainToASCII(domain); // '' if it cannot be a domain
  if (ascii === '') return undefined;
  const row = await directory.db.selectFrom('sites').selectAll().where('domain', '=', ascii).executeTakeFirst();
  return row && readSite(row);
}

export async function siteById(directory: Directory, siteId: string): Promise<Site | undefined> {
  if (!isId('site', siteId)) return undefined;
  const query = directory.db
    .selectFrom('sites')
    .selectAll()
    .where('id', '=', siteId as SiteId);
  const row = await query.executeTakeFirst();
  return row && readSite(row);
}

/** Records when these sites first and last had an event. Never moves a time back. Call this with batches of sites. */
export async function touchLastEvents({ db }: Directory, times: ReadonlyMap<SiteId, number>): Promise<void> {
  const sorted = [...times].sort(([a], [b]) => (a < b ? -1 : 1)); // two processes that lock rows in the same order cannot deadlock
  for (let start = 0; start < sorted.length; start += IDS_PER_STATEMENT) {
    const rows = sorted.slice(start, start + IDS_PER_STATEMENT).map(([id, at]) => sql`(${id}, cast(${at} as bigint))`);
    await sql`with latest (id, at) as (values ${sql.join(rows)})
      update sites set last_event_at = latest.at, first_event_at = coalesce(first_event_at, latest.at) from latest
      where sites.id = latest.id and (last_event_at is null or last_event_at < latest.at)`.execute(db);
  }
}

/** The site as somebody asks about it who wants UTC days, or its own. */
export function inDays<Of extends Pick<Site, 'timezone'>>(site: Of, { timezone }: { timezone?: unknown }): Of {
  return timezone === 'site' ? site : { ...site, timezone: null };
}

/** Returns the site as the API shows it. `tracking`: not paused, and an event was recorded in the last 24 hours. */
export function toPublicSite(
  site: Pick<Site, 'id' | 'domain' | 'created_at' | 'paused' | 'last_event_at'>,
  now: number,
): PublicSite {
  return {
    id: site.id,
    domain: site.domain,
    created_at: new Date(site.created_at).toISOString(),
    tracking: !site.paused && site.last_event_at !== null && site.last_event_at > now - DAY_MS,
  };
}

/** Returns the site as the dashboard shows it to a person with this role. */
export function toShownSite<Role>(site: Site, role: Role, now: number) {
  const { paused, timezone } = site;
  return { ...toPublicSite(site, now), paused, timezone, role, is_lost: site.lost_at !== null };
}

export const readSettings = ({ settings }: Pick<Tables['sites'], 'settings'>): Site['settings'] =>
  JSON.parse(settings) as Site['settings'];

function readSite(row: Tables['sites']): Site {
  return {
    ...row,
    paused: row.paused === 1,
    respects_gpc: row.respects_gpc === 1,
    extra_hosts: JSON.parse(row.extra_hosts) as string[],
    settings: readSettings(row),
  };
}

async function changeSite(
  directory: Pick<Directory, 'db'>,
  siteId: SiteId,
  values: Partial<Tables['sites']>,
): Promise<Site> {
  const { db } = directory;
  const row =
    Object.keys(values).length > 0
      ? await db.updateTable('sites').set(values).where('id', '=', siteId).returningAll().executeTakeFirst()
      : await db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirst();
  if (!row) throw new Refusal('not_found', say(NO_SUCH_SITE));
  return readSite(row);
}

function checkCurrency(code: string): void {
  if (!isCurrency(code)) throw new Refusal('bad_request', t('The currency must be an ISO 4217 code such as EUR.'));
}

function checkZone(name: string): string {
  const zone = readZone(name);
  if (zone === undefined)
    throw new Refusal('bad_request', t('timezone: must be the IANA name of a time zone, such as Europe/Berlin.'));
  return zone;
}

function taken(domain: string): Refusal {
  return new Refusal(
    'bad_request',
    t('The domain {domain} is already registered: a domain can belong to only one site.', { domain }),
  );
}
