// A site that is reached in every way, of an account of its own.
import { accountOfKey } from '../../server/accounts/keys.ts';
import { insertUser, prepareAccount } from '../../server/accounts/accounts.ts';
import { addMember } from '../../server/accounts/people/people.ts';
import { noteView } from '../../server/sites/sharing/uses.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { giveAccess } from '../setup/accounts/access.ts';
import { PASSWORD, type TestApp } from '../setup/app.ts';

const DOMAIN = 'shared.example';
export const REACHED = { domain: DOMAIN, email: `owner@${DOMAIN}` };
const LONG = `a.very.long.name.of.somebody.who.reads.along.and.whose.address.does.not.fit@${'department.'.repeat(6)}guest.example`;

export async function addReached(server: TestApp, now: number): Promise<void> {
  const { directory } = server.app.services;
  const site = await server.addSite(DOMAIN);
  const { link, key } = await giveAccess(server, site);
  for (const [days, times] of [3, 9, 1].entries())
    for (let n = 0; n < times; n += 1)
      await noteView(directory, { linkId: link.id, siteId: site.id }, now - (3 - days) * DAY_MS);
  await accountOfKey(directory, key.key, now - 5 * HOUR_MS);
  const admin = await insertUser(directory.db, await prepareAccount({ email: LONG, password: PASSWORD }), now);
  const place = { role: 'admin', siteIds: null } as const;
  await addMember(directory.db, { accountId: site.account_id, userId: admin.id, place }, now + 2);
  await server.app.runJob('make-exports');
}
