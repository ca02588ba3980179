// The routes of a running app on a port of their own, with other settings than the app's: nothing is collected, and there are no files.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRoutes } from '../../../server/api/routes.ts';
import { openHosts } from '../../../server/process/http/hosts.ts';
import { openPeers } from '../../../server/process/http/peer.ts';
import type { TestApp } from '../app.ts';

type Changes = Partial<Pick<Parameters<typeof openRoutes>[0], 'mustBeSecure' | 'isWriterOnly' | 'metrics'>> & {
  baseUrl?: string;
};

export async function serveRoutes({ app }: TestApp, { baseUrl, ...changes }: Changes) {
  const { queue, store } = app;
  const config = { ...app.services.config, ...(baseUrl !== undefined && { BASE_URL: baseUrl }) };
  const services = { ...app.services, config };
  const peers = openPeers([]);
  const unused = () => Promise.reject(new Error('not asked'));
  const listener = openRoutes({
    services,
    peers,
    hosts: openHosts({ config, peers, certificate: undefined }),
    collect: { foot: unused, gif: unused },
    files: {
      read: () => undefined,
      tracker: () => false,
      app: () => undefined,
      docs: () => undefined,
      page: () => undefined,
    },
    mustBeSecure: false,
    isWriterOnly: false,
    metrics: undefined,
    stores: { events: store, directory: services.directory, queue, live: services.windows },
    ...changes,
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}
