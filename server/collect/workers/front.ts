// A front: the HTTP server of a worker. It takes hits as far as it can without a store, and forwards all other requests.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { openJudge } from '../collector.ts';
import type { Geo } from '../places/geo.ts';
import { openCollectDoor } from '../doors/handler.ts';
import { orderKey } from '../order.ts';
import { openSiteSalts } from '../visitor.ts';
import { type Config, isServedSecurely } from '../../config.ts';
import { openAddressHash } from '../../process/http/address-hash.ts';
import { openForwarder } from '../../process/http/forwarding.ts';
import { openHosts } from '../../process/http/hosts.ts';
import { openPeers } from '../../process/http/peer.ts';
import { sendError } from '../../process/http/respond.ts';
import { openServer, readTls, stopServer } from '../../process/http/server.ts';
import { readTarget } from '../../process/http/target.ts';
import type { Log } from '../../process/log.ts';
import type { ZoneDay } from '../../sites/salts.ts';
import type { Site } from '../../sites/sites.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { openLine } from './line.ts';

const IMAGE_PATH = '/foot.gif';

type Front = {
  server: Server;
  /** Accepts nothing new, and finishes running requests. */
  close(): Promise<void>;
};

type Options = {
  config: Config;
  /** The Unix socket of the process that owns the stores. */
  path: string;
  geo: Geo;
  /** Called when that process has ended. */
  onLost(): void;
  now(): number;
  log: Log;
};

export async function openFront({ config, path, geo, onLost, now, log }: Options): Promise<Front> {
  const line = await openLine({ path, onForgetSalts: (time) => salts.forget(time), onLost });
  const secretOf = async (day: ZoneDay) => Buffer.from(await line.ask('salt', day), 'hex');
  const salts = openSiteSalts(secretOf);
  const { orderSecret } = await line.ask('start', null);
  const overQuota = new WeakSet<Site>();
  const siteOf = async (domain: string): Promise<Site | undefined> => {
    const found = await line.ask('site', { domain });
    if (found?.isOverQuota) overQuota.add(found.site);
    return found?.site;
  };
  const judge = openJudge(siteOf, {
    geo,
    saltOf: salts.of,
    orderKey: orderKey(orderSecret),
    limits: {
      isOverQuota: (site) => overQuota.has(site),
      addresses: openAddressHash((day) => secretOf({ zone: UTC, day })),
    },
  });

  const onUntrustedProxy = () => void line.ask('untrustedProxy', null).catch(() => undefined); // then nobody is left to warn
  const peers = openPeers(config.TRUST_PROXY, { onUntrustedProxy });
  const hosts = openHosts({ config, peers, certificate: (await readTls(config))?.cert });
  const forwarder = openForwarder(path, log);
  const door = openCollectDoor({
    collector: { collect: async (sent, time) => line.admit(await judge(sent, time)) },
    report: (request, response) => forwarder.forward(request, response),
    peers,
    hosts,
    mustBeSecure: isServedSecurely(config),
    now,
    log,
  });

  const takeImage = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    hosts.check(request, { collects: true });
    await door.gif(request, response, url);
  };
  const listener: RequestListener = (request, response) => {
    const target = request.url ?? '/';
    if (target === '/foot') {
      void door.foot(request, response);
      return;
    }
    const url = target.startsWith(IMAGE_PATH) ? readTarget(target) : null;
    if (url?.pathname === IMAGE_PATH)
      takeImage(request, response, url).catch((error: unknown) => sendError(response, error, log));
    else forwarder.forward(request, response);
  };
  const server = await openServer(config, listener);
  server.on('upgrade', forwarder.upgrade);
  return {
    server,
    close: async () => {
      forwarder.close();
      await stopServer(server);
      line.close();
    },
  };
}
