// The whole server on its own port, with a clock that the test moves: `await using server = await testApp()`.
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type App, openApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import type { Schedule } from '../../server/live/throttle.ts';
import { type Log, openLog } from '../../server/process/log.ts';
import { INTERNET, type Network } from '../../server/process/outgoing/network.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { createSite, type Site } from '../../server/sites/sites.ts';
import { listenForWorkers } from '../../server/collect/workers/entrance.ts';
import { openFront } from '../../server/collect/workers/front.ts';
import { usualFronts } from './processes/fronts.ts';
import { signIn } from './accounts/sign-in.ts';
import { CHROME } from './browser/user-agent.ts';
import { tempFolder } from './folder.ts';
import { copyDirectory, copyEvents } from './stores/migrated-stores.ts';

const nothing = () => Promise.reject(new Error('tests stay at home'));
const NOWHERE: Network = { ...INTERNET, resolve: nothing, resolveTxt: nothing };
export const PASSWORD = 'correct horse battery';

/** Tests send from one address, and their clock stands still. */
export const NO_FLOOD_LIMITS = { FLOOD_VISITORS: '1000000', FLOOD_EVENTS: '1000000' };

export type TestApp = AsyncDisposable & {
  app: App;
  url: string;
  folder: string;
  clock: { now: number };
  /** A site of a new account on `plan`, whose owner signs in as `owner@DOMAIN` with PASSWORD. */
  addSite(domain?: string, plan?: 'starter' | 'pro'): Promise<Site>;
  /** The same, with a domain that no other site has. */
  newSite(): Promise<Site>;
  /** POST /foot as a browser does, with the given differences. */
  foot(payload: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The session cookie of an owner. */
  logIn(email: string, password?: string): Promise<string>;
  /** Writes the waiting events, so that queries see them. */
  settle(): Promise<void>;
};

type Options = {
  now?: number;
  folder?: string;
  env?: Record<string, string>;
  /** The folder of the built files; `build/` by default. */
  built?: string;
  /** By default one that is free. */
  port?: number;
  /** Fronts of workers, in this process: requests go to them in turns. None by default. */
  workers?: number;
  start?: boolean;
  /** The server's own requests reach only what is given here. */
  network?: Network;
  /** The clock that the socket's pace follows, instead of timers. */
  schedule?: Schedule;
  log?: Log;
};

export async function testApp(options: Options = {}): Promise<TestApp> {
  const own = options.folder === undefined ? await tempFolder() : undefined;
  const folder = options.folder ?? own?.path ?? '';
  const workers = options.workers ?? usualFronts();
  const clock = { now: options.now ?? Date.UTC(2026, 10, 20, 12) };
  const fixed = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error', NODE_ENV: 'test', ...NO_FLOOD_LIMITS };
  const config = readConfig({ ...fixed, ...options.env });
  const pace = options.schedule && { schedule: options.schedule };
  await mkdir(folder, { recursive: true });
  if (config.CLICKHOUSE_URL === undefined) await copyEvents(join(folder, 'events'));
  if (config.DATABASE_URL === undefined) await copyDirectory(folder);
  const app = await openApp({
    config,
    now: () => clock.now,
    log: options.log ?? openLog(config.LOG_LEVEL),
    network: options.network ?? NOWHERE,
    hasWorkers: workers > 0,
    ...(options.built !== undefined && { built: options.built }),
    ...pace,
  });
  await app.restored;
  const listen = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const fronts: Awaited<ReturnType<typeof openFront>>[] = [];
  if (workers > 0) {
    const path = await listenForWorkers(app.server, folder);
    const { geo } = app;
    const options = {
      config,
      path,
      geo,
      onLost: () => undefined,
      now: () => clock.now,
      log: openLog(config.LOG_LEVEL),
    };
    for (let n = 0; n < workers; n += 1) fronts.push(await openFront(options));
  }
  const urls: string[] = [];
  for (const server of workers > 0 ? fronts.map((front) => front.server) : [app.server])
    urls.push(await listen(server));
  const [url = ''] = urls;
  if (options.start) app.start();
  let turn = 0;
  let made = 0;
  const { directory } = app.services;
  const addSite: TestApp['addSite'] = async (domain = 'example.com', plan = 'pro') => {
    const who = { email: `owner@${domain}`, password: PASSWORD, plan, status: 'active' as const };
    const { account } = await createAccount(directory, who, clock.now);
    return createSite(directory, { accountId: account.id, domain }, clock.now);
  };

  return {
    app,
    url,
    folder,
    clock,
    addSite,
    newSite: () => addSite(`site${(made += 1)}.example`),
    foot: (payload, headers = {}) =>
      fetch(`${urls[(turn += 1) % urls.length]}/foot`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'user-agent': CHROME, 'accept-language': 'en-GB', ...headers },
        body: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }),
    logIn: (email, password = PASSWORD) => signIn(url, { email, password }),
    settle: () => app.writer.drain(),
    [Symbol.asyncDispose]: async () => {
      for (const front of fronts) await front.close();
      await app.close();
      await own?.[Symbol.asyncDispose]();
    },
  };
}
