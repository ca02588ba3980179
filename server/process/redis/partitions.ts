// Sites are spread over a fixed number of partitions. All that Redis holds of a site is in its partition: its waiting events, the ids that
// were seen, its live windows. The keys of a partition share a hash tag, so that scripts may use several of them in Redis Cluster.
import { crc32 } from 'node:zlib';
import type { SiteId } from '../../vocabulary/event.ts';

/** More writers than this find no work. To change it, append the new number to LAYOUTS of `queue/redis/layouts.ts`. */
export const PARTITIONS = 16;

/** Any process gets the same number for a site, and so does ClickHouse: CRC32(site_id) % PARTITIONS. */
export function partitionOf(siteId: SiteId, partitions = PARTITIONS): number {
  return crc32(siteId) % partitions;
}

/** The hash tag of a partition, a part of each of its keys. */
export function tagOf(partition: number): string {
  return `{p${partition}}`;
}
