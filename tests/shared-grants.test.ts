// Sites whose connections with Google have one Google account share its permission: the last one that is disconnected withdraws it.
import { expect, test } from 'vitest';
import { createAccount } from '../server/accounts/accounts.ts';
import { deleteConnection, saveConnection } from '../server/search-console/connections.ts';
import { createSite, type Site } from '../server/sites/sites.ts';
import { PASSWORD } from './setup/app.ts';
import { NOON } from './setup/clock.ts';
import { FORMS, testDirectory } from './setup/directory.ts';

const ROUNDS = 20;
const SITES = ['one.example', 'two.example', 'three.example'];

test.each(FORMS)(
  'sites that are disconnected at the same moment do not all leave it to the others, in %s',
  async (form) => {
    await using directory = await testDirectory(form);
    const { account, user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const sites: Site[] = [];
    for (const domain of SITES) sites.push(await createSite(directory, { accountId: account.id, domain }, NOON));
    const connect = (siteId: Site['id'], google: string | null) =>
      saveConnection(directory.db, { siteId, by: user.id, token: 'sealed', account: google, keeps: undefined }, NOON);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { id }] of sites.entries())
        await connect(id, index === 0 && round % 2 === 0 ? null : 'google');
      const ended = await Promise.all(sites.map(({ id }) => deleteConnection(directory.db, id)));
      expect(ended.every((one) => one !== undefined)).toBe(true);
      expect([round, ended.some((one) => one?.isShared === false)]).toEqual([round, true]);
    }
  },
);
