// The alerts that are on, with their sites and accounts: what all checks begin with.
import type { Kysely } from 'kysely';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import type { Billing } from '../../config.ts';
import type { Tables } from '../../directory/schema.ts';
import { readSettings, type Site } from '../../sites/sites.ts';
import type { StatsSite } from '../../stats/answers/values.ts';
import type { AlertKind } from '../../vocabulary/settings/alerts.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { UTC, wallTime } from '../../vocabulary/time/zones.ts';
import { type Alert, readAlert } from './rules.ts';

export type Watched = {
  alert: Alert;
  row: Tables['alerts'];
  site: StatsSite & Pick<Site, 'id' | 'domain' | 'account_id' | 'last_event_at' | 'settings'>;
  /** The zone of the site's days. */
  zone: string;
};

/** Returns the alerts of some kinds. Sites that do not count, and accounts that cannot see their dashboard, have none. */
export async function watchedAlerts(
  db: Kysely<Tables>,
  { kinds, billing }: { kinds: readonly AlertKind[]; billing: Billing },
  now: number,
): Promise<Watched[]> {
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('kind', 'in', [...kinds])
    .where('paused', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return [];
  const sites = await db
    .selectFrom('sites')
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .where(
      'sites.id',
      'in',
      db
        .selectFrom('alerts')
        .select('site_id')
        .where('kind', 'in', [...kinds]),
    )
    .where('paused', '=', 0)
    .where('lost_at', 'is', null)
    .select([
      'sites.id',
      'domain',
      'account_id',
      'last_event_at',
      'timezone',
      'currency',
      'proposed_currency',
      'max_amount',
      'settings',
    ])
    .select(['plan', 'status', 'trial_ends_at', 'paid_until', 'accounts.created_at'])
    .execute();
  const seen = sites.filter((account) => effectivePlan(account, now, { billing }).canSeeDashboard);
  const byId = new Map(seen.map((row) => [row.id, { ...row, settings: readSettings(row) }]));
  return rows.flatMap((row) => {
    const site = byId.get(row.site_id);
    return site ? [{ alert: readAlert(row), row, site, zone: site.timezone ?? UTC }] : [];
  });
}

/** True during the quiet hours of an alert. Equal ends mean the whole day, which nobody can want, so they mean none. */
export function isQuiet({ quiet, timezone }: Pick<Alert, 'quiet' | 'timezone'>, now: number): boolean {
  if (!quiet) return false;
  const hour = Math.floor(wallTime(now, timezone) / HOUR_MS) % 24;
  const { from, to } = quiet;
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to;
}

export const sitesOf = (watched: readonly Watched[]): string[] => [...new Set(watched.map(({ site }) => site.id))];
