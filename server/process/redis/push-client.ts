// A client for Socket.IO's adapter, which queues commands while Redis is unavailable. Those for Cluster and Sentinel are the library's own:
// a push that is late or lost harms nobody.
import type * as Library from 'redis';
import type { RedisAddress } from '../../vocabulary/addresses/redis.ts';
import { clientOptions, makeClient } from './connection.ts';

export type PushClient = Pick<Library.RedisClientType, 'publish' | 'subscribe' | 'xAdd' | 'xRead'> & {
  connect(): Promise<unknown>;
  /** The number of processes that subscribe to the channel. */
  subscribers(channel: string): Promise<number>;
  destroy(): unknown;
};

const ASK = (channel: string) => ['PUBSUB', 'NUMSUB', channel];
const countIn = (answer: unknown) => Number((answer as [string, number])[1]);

export function openPushClient(library: typeof Library, address: RedisAddress): PushClient {
  if (address.kind === 'single') {
    const client = makeClient(library.createClient, address, { disableOfflineQueue: false });
    return withCount(client, async (channel) => countIn(await client.sendCommand(ASK(channel))));
  }
  const access = clientOptions(address.access);
  if (address.kind === 'sentinel') {
    const sentinel = library.createSentinel({
      name: address.name,
      sentinelRootNodes: address.servers,
      nodeClientOptions: access,
      sentinelClientOptions: clientOptions(address.sentinelAccess),
      scanInterval: 5000,
    });
    return withCount(sentinel, async (channel) => countIn(await sentinel.sendCommand(false, ASK(channel))));
  }
  const cluster = library.createCluster({
    rootNodes: address.servers.map((server) => clientOptions(address.access, server)),
    defaults: access,
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: 500,
  });
  return withCount(cluster, async (channel) => {
    const counts = cluster.masters.map(async (node) =>
      countIn(await (await cluster.nodeClient(node)).sendCommand(ASK(channel))),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  });
}

type Client = Omit<PushClient, 'subscribers'> & { on(event: 'error', listener: () => void): unknown };

function withCount(client: unknown, subscribers: PushClient['subscribers']): PushClient {
  const known = client as Client;
  known.on('error', () => undefined); // each command reports its own error
  return {
    connect: () => known.connect(),
    publish: (...args) => known.publish(...args),
    subscribe: (...args) => known.subscribe(...args),
    xAdd: (...args) => known.xAdd(...args),
    xRead: (...args) => known.xRead(...args),
    subscribers,
    destroy: () => known.destroy(),
  };
}
