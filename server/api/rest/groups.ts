// Groups of sites in the API. Its keys see every site of their account.
import { Refusal } from '../../errors.ts';
import { memberOf } from '../../sites/access.ts';
import { findGroup, listGroups, NO_SUCH_GROUP } from '../../sites/groups.ts';
import type { GroupNumbers } from '../../stats/answers/group.ts';
import type { GroupQuestion } from '../../stats/query.ts';
import { inDays, type Site } from '../../sites/sites.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { latestZone } from '../../vocabulary/time/zones.ts';
import type { Call, Result } from './operations.ts';
import { checkPeriod } from './params.ts';

/** A key sees all sites of its account. */
async function keyHolder({ services: { directory }, accountId }: Call<unknown, unknown>) {
  const member = await memberOf(directory, { kind: 'key', accountId }, accountId);
  if (!member) throw new Refusal('not_found', NO_SUCH_GROUP);
  return member;
}

type Group = Awaited<ReturnType<typeof groupsOf>>[number];
export const groupsOf = async (call: Call<unknown, unknown>) =>
  listGroups(call.services.directory, await keyHolder(call));

export const toPublicGroup = ({ id, name, created_at, sites }: Group) => ({
  id,
  name,
  created_at: new Date(created_at).toISOString(),
  site_ids: sites.map((site) => site.id),
});

type Asked = {
  group_id: string;
  period: string;
  date_from?: string | undefined;
  date_to?: string | undefined;
  timezone: 'UTC' | 'site';
  include_imported: 'true' | 'false';
  interval?: GroupQuestion['interval'];
};

async function ask(call: Call<Asked, unknown>): Promise<{ sites: Site[]; numbers: GroupNumbers }> {
  const { services, accountId, query, now } = call;
  const { period, date_from, date_to, interval } = query;
  const group = await findGroup(services.directory, await keyHolder(call), query.group_id);
  const sites = group.sites.map((site) => inDays(site, query));
  const question: GroupQuestion = {
    period: period as GroupQuestion['period'],
    compare: 'none', // its schema refuses all other names
    date_from,
    date_to,
    interval,
    include_imported: query.include_imported !== 'false',
  };
  const zones = sites.map(({ timezone }) => timezone);
  checkPeriod(question, now, latestZone(zones, now));
  return { sites, numbers: await services.stats.askedBy({ lane: accountId }).group(question, sites, now) };
}

export async function runGroupStats(call: Call<Asked, unknown>): Promise<Result> {
  const { sites, numbers } = await ask(call);
  const { totals, date_from, date_to } = numbers;
  const domains = new Map(sites.map(({ id, domain }) => [String(id), domain]));
  const ofSites = numbers.sites.map(({ site_id, totals: own }) => ({ site_id, domain: domains.get(site_id), ...own }));
  return { data: { ...totals, sites: ofSites }, meta: { date_from, date_to } };
}

export async function runGroupTimeseries(call: Call<Asked, unknown>): Promise<Result> {
  const { points, interval, date_from, date_to } = (await ask(call)).numbers;
  return {
    data: points.map(({ time, ...counts }) => ({ date: dayOf(time), ...counts })),
    meta: { interval, date_from, date_to },
  };
}
