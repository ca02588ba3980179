// Collecting: a hit becomes an anonymous event in the queue.
import { type Collector, openCollector } from '../collect/collector.ts';
import { orderKey } from '../collect/order.ts';
import { type Geo, openGeo } from '../collect/geo.ts';
import { openSiteSalts, type SiteSalts } from '../collect/visitor.ts';
import { secretOf as serverSecretOf } from '../directory/server-keys.ts';
import type { Event, Recorded } from '../event.ts';
import { type AddressHash, openAddressHash } from '../http/address-hash.ts';
import { type Flood, openMemoryFlood, openRedisFlood } from '../live/flood.ts';
import { isRecent } from '../live/restore.ts';
import { proposeCurrency } from '../sites/currency.ts';
import { openLastEvents, type LastEvents } from '../sites/last-events.ts';
import { saltOf, type ZoneDay } from '../sites/salts.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import { UTC } from '../vocabulary/zones.ts';
import { type Desk, openDesk } from '../workers/desk.ts';
import { type Setting, warnStale } from './setting.ts';
import type { Stores } from './stores.ts';

export type Collecting = {
  collector: Collector;
  geo: Geo;
  salts: SiteSalts;
  addresses: AddressHash;
  flood: Flood;
  lastEvents: LastEvents;
  /** Accounts above their monthly event limit; used with QUOTA=drop. */
  overQuota: Set<string>;
  /** Opens the desk for workers, if HTTP has processes of its own. */
  deskFor(onUntrustedProxy: () => void): Desk;
};

/** Calls `onArrived` for each event once the live windows have recorded it. */
export async function openCollecting(
  { config, security, now, log }: Setting,
  { directory, redis, queue, windows }: Stores,
  onArrived: (event: Event) => void,
): Promise<Collecting> {
  const geo = await openGeo({ ...(config.GEOIP_DB !== undefined && { path: config.GEOIP_DB }), log });
  const orderSecret = await serverSecretOf(directory, 'orders', now());
  const secretOf = (day: ZoneDay) => saltOf(directory, day, now());
  const salts = openSiteSalts(secretOf);
  const addresses = openAddressHash((day) => secretOf({ zone: UTC, day }));
  const budget = { visitorsPerMinute: config.FLOOD_VISITORS, eventsPerSecond: config.FLOOD_EVENTS };
  const flood = redis ? openRedisFlood(budget, { redis }) : openMemoryFlood(budget);
  const lastEvents = openLastEvents(directory, warnStale(log, 'sites'));
  const overQuota = new Set<string>();
  const isOverQuota = (site: Site) => overQuota.has(site.account_id);

  const onNew = (recorded: Recorded) => {
    if (recorded.kind === 'event' && recorded.currency !== '')
      void proposeCurrency(directory, recorded).catch(warnStale(log, 'currency'));
    lastEvents.seen(recorded.site_id, recorded.time);
    if (recorded.kind !== 'event' || !isRecent(recorded.time, now())) return;
    void windows
      .record(recorded)
      .then(
        (source) => onArrived(source === recorded.source ? recorded : { ...recorded, source }),
        warnStale(log, 'live windows'),
      );
  };
  const collector = openCollector({
    directory,
    queue,
    context: {
      geo,
      windows,
      saltOf: salts.of,
      orderKey: orderKey(orderSecret),
      limits: { isOverQuota, addresses },
      floods: { flood, security },
    },
    onNew,
  });
  const deskFor: Collecting['deskFor'] = (onUntrustedProxy) =>
    openDesk({
      collector,
      siteOf: (domain) => siteByDomain(directory, domain),
      isOverQuota,
      saltOf: secretOf,
      orderSecret,
      onUntrustedProxy,
      now,
      log,
    });
  return { collector, geo, salts, addresses, flood, lastEvents, overQuota, deskFor };
}
