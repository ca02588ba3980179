// Socket.IO's adapter over Redis: a message from one process reaches the dashboards of all processes. TRICKY: the adapter does not handle
// rejections of its commands, so losing Redis would end the process. It also retries failed reads without a pause. Its clients are
// therefore wrapped to fail warnOnFailure: a push is worthless a second later.
import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { PushClient } from '../process/redis/push-client.ts';
import type { Redis } from '../process/redis/redis.ts';

const RETRY_MS = 500;

type Fanout = { adapter: ReturnType<typeof createAdapter>; close(): void };

export function openFanout(redis: Redis): Fanout {
  const clients: PushClient[] = [];
  let closed = false;

  function quietClient() {
    const client = redis.separate();
    clients.push(client);
    const ignore = () => undefined;
    return {
      sSubscribe: ignore, // the adapter recognises the `redis` package by this method
      duplicate: quietClient,
      on: ignore,
      connect: () => client.connect().catch(ignore),
      disconnect: ignore, // all of them end in close()
      publish: (channel: string, message: Buffer) => client.publish(channel, message).catch(ignore),
      subscribe: (channels: string[], listener: (message: Buffer) => void) =>
        client.subscribe(channels, listener, true).catch(ignore),
      xAdd: (...args: Parameters<PushClient['xAdd']>) => client.xAdd(...args).catch(ignore),
      xRead: (...args: Parameters<PushClient['xRead']>) =>
        client.xRead(...args).catch(async () => {
          if (!closed) await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
          return null;
        }),
      // PUBSUB NUMSUB, the only command that the adapter sends in this way
      sendCommand: ([, , channel = '']: string[]) =>
        client.subscribers(channel).then((count) => [channel, count], ignore),
    };
  }

  const publisher = quietClient();
  void publisher.connect();
  return {
    adapter: createAdapter(publisher, {
      streamName: 'footfall:sockets',
      channelPrefix: 'footfall:sockets',
      maxLen: 1000,
      blockTimeInMs: 2000, // less than the time after which a silent connection counts as dead
      onlyPlaintext: true,
    }),
    close() {
      closed = true;
      for (const client of clients) void client.destroy();
    },
  };
}
