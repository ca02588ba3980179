// /export/SITE_ID.csv: the dashboard's numbers as a file with one row per day, for everybody who may see that dashboard. A share link sends
// its token in the header `x-share-token`, because addresses end up in logs and referrers.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead, leavingOf } from '../../process/http/respond.ts';
import { toCsv } from '../../vocabulary/texts/csv.ts';
import { siteFor } from '../../sites/access.ts';
import type { Site } from '../../sites/sites.ts';
import { type Day, DAYS_AT_ONCE, emptyDays, type Listed } from '../../stats/answers/days.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Filter } from '../../stats/query.ts';
import { checkAsked } from '../../stats/disclosure/link-rules.ts';
import type { Stats } from '../../stats/run.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import { checkPeriod, readFilters, readParams } from '../rest/params.ts';
import * as fields from '../rest/requests.ts';
import { withSegments } from '../dashboard/segments.ts';
import { lookingAt, type Services, statsFor } from '../trpc.ts';
import { readViewer } from '../viewer.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const COLUMNS = ['Date', 'Pageviews', 'Unique visitors', 'Top pages', 'Referrers', 'Custom event counts'];
const PATH = /^\/export\/([^/]+)\.csv$/;
const query = z.strictObject({
  ...fields.range,
  filter: fields.filter,
  filters: fields.filters,
  segment: fields.segment,
});

/** `name: count`, joined by `; `. A name that contains `;` or `"` is written as a JSON string. */
function listCell(list: Listed[]): string {
  return list
    .map(({ name, count }) => `${name.includes(';') || name.includes('"') ? JSON.stringify(name) : name}: ${count}`)
    .join('; ');
}

export function csvRows(days: Day[]): string {
  const rows = days.map((day) => [
    day.date,
    day.pageviews ?? '',
    day.unique_visitors,
    listCell(day.pages),
    listCell(day.referrers),
    listCell(day.events),
  ]);
  return toCsv(rows);
}

export function openCsv(services: Services) {
  const { directory, config } = services;

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    response.setHeader('cache-control', 'no-store');
    const [, siteId] = PATH.exec(url.pathname) ?? [];
    if (siteId === undefined) throw new Refusal('not_found', t('There is nothing at this address.'));
    checkIsRead(request, response);
    const viewer = await readViewer(services, request.headers, () => services.addressHashOf(request));
    if (!viewer) throw new Refusal('unauthorized', t('Log in, or use a share link that is still valid.'));
    const now = services.now();
    const { filter, filters: more, segment, ...dates } = readParams(url, query);
    const asked = { filters: readFilters({ filter, filters: more }, 'events'), segment };
    const options = { now, billing: billingOf(config), evenExpired: true };
    const access = await siteFor(directory, viewer, { siteId }, 'read', options);
    const { site } = access;
    const zone = site.timezone ?? undefined;
    checkPeriod({ period: 'custom', ...dates }, now, zone);
    const { filters } = await withSegments({ directory, viewer, siteId: site.id }, asked);
    const requester = services.requesterOf(request, leavingOf(response));
    const looking = lookingAt(viewer, access);
    const stats = await statsFor({ ...services, requester }, viewer, looking);

    const from = readDay(dates.date_from) ?? now;
    const to = (readDay(dates.date_to) ?? now) + DAY_MS;
    const range = { from, to, ...(zone && { zone }) };
    // Days before the site's first event are not asked for, and a refusal must not come in the middle of a file.
    if (looking.rule?.link)
      checkAsked(looking.rule.link, { question: 'days', filters }, { ranges: [range], now, zone });
    const parts = partsOf(range, { site, filters, stats });
    if (viewer.kind === 'user' && request.method !== 'HEAD') {
      const ids = { account_id: access.account.id, site_id: site.id, user_id: viewer.userId };
      await recordAction(services, 'data_exported', { ids, domain: site.domain });
    }
    // The first part is read before anything is sent, so that a failure becomes an error and not half a file.
    const first = request.method === 'HEAD' ? undefined : await parts.next();
    response.writeHead(200, {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${fileName(site, dates)}"`,
    });
    if (first) await send(response, first, parts);
    response.end();
  };

  async function* partsOf(range: Range, { site, filters, stats }: { site: Site; filters: Filter[]; stats: Stats }) {
    const isLong = range.to - range.from > DAYS_AT_ONCE * DAY_MS;
    const startsAt = isLong ? await firstDayOf(site, range, stats) : range.from;
    let header = `${COLUMNS.join(',')}\r\n`;
    for (let from = range.from; from < range.to; from += DAYS_AT_ONCE * DAY_MS) {
      const part = { ...range, from, to: Math.min(range.to, from + DAYS_AT_ONCE * DAY_MS) };
      const isBefore = part.to <= startsAt;
      yield header + csvRows(isBefore ? emptyDays(part) : await stats.days({ site_id: site.id, filters }, site, part));
      header = '';
    }
  }
}

/** Returns the site's first day with events. The parts of a long range before it need no query. */
async function firstDayOf(site: Site, range: Range, stats: Stats): Promise<number> {
  return (await stats.range({ site_id: site.id, period: 'all' }, site, range.to)).from;
}

/** Sends part by part, as fast as the client reads. If the client leaves, the remaining parts are not computed. */
async function send(response: ServerResponse, first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  for (let part = first; part.done !== true; part = await rest.next()) {
    if (response.destroyed) return;
    if (!response.write(part.value)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

/** Domains are plain ASCII, so nothing should need removing. It is done anyway, because the name goes into a header. */
function fileName({ domain }: Site, dates: { date_from: string; date_to: string }): string {
  return `${domain.replace(/[^a-z0-9.-]/gi, '')}_${dates.date_from}_${dates.date_to}.csv`;
}
