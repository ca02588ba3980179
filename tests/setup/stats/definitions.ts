// A funnel and a group for tests of the API, as short as they can be.
import type { Directory } from '../../../server/directory/open.ts';
import { makeId } from '../../../server/directory/ids.ts';
import { funnels } from '../../../server/sites/definitions/funnels.ts';
import type { Site } from '../../../server/sites/sites.ts';

/** Makes a funnel from `/` to `last`, and returns its id. */
export async function addFunnel(directory: Directory, { id: siteId }: Pick<Site, 'id'>, now: number, last = '/thanks') {
  const steps = ['/', last].map((page) => ({ kind: 'page' as const, page }));
  const made = { siteId, name: 'funnel', definition: { steps, within: 'visit', order: 'any' } as const };
  return (await funnels.create(directory, made, now)).id;
}

type Of = Pick<Site, 'id' | 'account_id'>;
/** Makes a group of one site, which is fewer than the dashboard lets anybody choose, and returns its id. */
export async function addGroup({ db }: Directory, site: Of, now: number, name = 'group') {
  const id = makeId('group');
  const group = { id, account_id: site.account_id, name, created_at: now };
  await db.insertInto('site_groups').values(group).execute();
  await db.insertInto('group_sites').values({ group_id: id, site_id: site.id, position: 0 }).execute();
  return id;
}
