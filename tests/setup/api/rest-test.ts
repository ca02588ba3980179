// The API in tests: a server for each file, and for each test its own site with a key, a moment after the last one's.
import { expect, test as plain } from 'vitest';
import type { Site } from '../../../server/sites/sites.ts';
import { testApp, type TestApp } from '../app.ts';
import { keyFor, type Rest, restOf } from './rest.ts';

type Row = Record<string, unknown>;

export const test = plain
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }): Promise<TestApp> => {
    const server = await testApp({ env: { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '100000' } });
    onCleanup(() => server[Symbol.asyncDispose]());
    return server;
  })
  .extend('site', async ({ server }): Promise<Site> => {
    server.clock.now += 2000; // longer than anything is cached
    return server.newSite();
  })
  .extend('key', async ({ server, site }) => keyFor(server, site))
  .extend('rest', async ({ server, key }): Promise<Rest> => restOf(server, key))
  /** The body of an event of the site. */
  .extend('event', ({ site }) => (more: object = {}): Row => {
    return { site_id: site.id, name: 'plan_upgraded', url: `https://${site.domain}/account`, ...more };
  })
  /** Sends a page view of the site, as a browser does. */
  .extend('view', ({ server, site }) => async (path: string) => {
    await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}${path}` });
  })
  /** What is stored of the site, in order. */
  .extend('rows', ({ server, site }) => async (columns: string): Promise<Row[]> => {
    await server.settle();
    const sql = `SELECT ${columns} FROM events WHERE site_id = {id:String} ORDER BY time, name`;
    return server.app.store.query<Row>(sql, { id: site.id });
  })
  /** The data of an answer that must be a 200. */
  .extend('data', ({ rest }) => async (path: string): Promise<unknown> => {
    const { status, body } = await rest.ask(path);
    expect(status).toBe(200);
    return (body as { data: unknown }).data;
  });

/** Replaces a member of an object until the end of the block, for example with one that fails. */
export function replaced<Of extends object, Name extends keyof Of>(of: Of, name: Name, by: unknown): Disposable {
  const was = of[name];
  of[name] = by as Of[Name];
  return { [Symbol.dispose]: () => void (of[name] = was) };
}
