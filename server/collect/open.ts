// Collecting: a hit becomes an anonymous event in the queue.
import { type Collector, openCollector } from './collector.ts';
import { orderKey } from './order.ts';
import { type Geo, openGeo } from './places/geo.ts';
import { openSiteSalts, type SiteSalts } from './visitor.ts';
import type { Directory } from '../directory/open.ts';
import { secretOf as serverSecretOf } from '../directory/server-keys.ts';
import type { Event, Recorded } from '../vocabulary/event.ts';
import { type AddressHash, openAddressHash } from '../process/http/address-hash.ts';
import type { Flood } from '../live/flood.ts';
import { isRecent } from '../live/restore.ts';
import type { Windows } from '../live/windows.ts';
import type { Queue } from '../queue/queue.ts';
import { proposeCurrency } from '../sites/currency.ts';
import { openLastEvents, type LastEvents } from '../sites/last-events.ts';
import { saltOf, type ZoneDay } from '../sites/salts.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import { UTC } from '../vocabulary/time/zones.ts';
import { type Desk, openDesk } from './workers/desk.ts';
import { type Setting, warnStale } from '../process/setting.ts';

export type Collecting = {
  collector: Collector;
  geo: Geo;
  salts: SiteSalts;
  addresses: AddressHash;
  lastEvents: LastEvents;
  /** Accounts above their monthly event limit; used with QUOTA=drop. */
  overQuota: Set<string>;
  /** Opens the desk for workers, if HTTP has processes of its own. */
  deskFor(onUntrustedProxy: () => void): Desk;
};

type Stores = { directory: Directory; queue: Queue; windows: Windows; flood: Flood };

/** Calls `onArrived` for each event once the live windows have recorded it. */
export async function openCollecting(
  { config, security, now, log }: Setting,
  { directory, queue, windows, flood }: Stores,
  onArrived: (event: Event) => void,
): Promise<Collecting> {
  const geo = await openGeo({ ...(config.GEOIP_DB !== undefined && { path: config.GEOIP_DB }), log });
  const orderSecret = await serverSecretOf(directory, 'orders', now());
  const secretOf = (day: ZoneDay) => saltOf(directory, day, now());
  const salts = openSiteSalts(secretOf);
  const addresses = openAddressHash((day) => secretOf({ zone: UTC, day }));
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
  return { collector, geo, salts, addresses, lastEvents, overQuota, deskFor };
}
