// The directory's records of imports, in both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { addDrops, dropsOf } from '../../server/sites/drops.ts';
import { advanceImport, finishImport, forgetImports, importSecret, startImport } from '../../server/sites/imports.ts';
import { createSite, deleteSite, type Site } from '../../server/sites/sites.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';

describe.each(FORMS)('in %s', (form) => {
  let directory: TestDirectory;
  let site: Site;

  beforeEach(async () => {
    directory = await testDirectory(form);
    const owner = { email: 'owner@example.com', password: 'correct horse' };
    const { account } = await createAccount(directory, owner, NOON);
    site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
  });
  afterEach(async () => directory[Symbol.asyncDispose]());

  const begin = (fingerprint = 'aa') => startImport(directory, { siteId: site.id, fingerprint }, NOON);
  const secrets = () => directory.db.selectFrom('import_secrets').select('import_id').execute();

  test('an import starts once for each content and site, and records its progress', async () => {
    const [first, again, other] = [await begin(), await begin(), await begin('bb')];
    expect(first).toMatchObject({ lines_done: 0, tally: '{}', finished_at: null });
    expect(again).toEqual(first);
    expect(other.id).not.toBe(first.id);
    const drops = [{ site_id: site.id, day: '2026-05-20', reason: 'no_user_agent', count: 2 }];
    await addDrops(directory, drops);
    await advanceImport(directory, { id: first.id, from: 0, to: 1000, tally: '{"counted":7}', drops });
    expect(await begin()).toMatchObject({ id: first.id, lines_done: 1000, tally: '{"counted":7}' });
    expect(await dropsOf(directory, site.id, '2026-05-20', '2026-05-20')).toMatchObject([{ count: 4 }]);
  });

  test('a step that another process took is refused, with its drops', async () => {
    const { id } = await begin();
    const drops = [{ site_id: site.id, day: '2026-05-20', reason: 'no_user_agent', count: 2 }];
    const step = { id, from: 0, to: 1000, tally: '{}', drops };
    await advanceImport(directory, step);
    await expect(advanceImport(directory, step)).rejects.toThrow('importing this file');
    expect(await dropsOf(directory, site.id, '2026-05-20', '2026-05-20')).toMatchObject([{ count: 2 }]);
    await finishImport(directory, id, NOON);
    await expect(advanceImport(directory, { ...step, from: 1000, to: 2000 })).rejects.toThrow('importing this file');
  });

  test('a secret stays the same until its import is finished, or forgotten', async () => {
    const [one, two] = [await begin(), await begin('bb')];
    const secret = await importSecret(directory, one.id, NOON);
    expect(secret.length).toBe(32);
    expect(await importSecret(directory, one.id, NOON + 1)).toEqual(secret);
    expect(await importSecret(directory, two.id, NOON + 1)).not.toEqual(secret);
    await finishImport(directory, one.id, NOON + 2);
    expect(await secrets()).toEqual([{ import_id: two.id }]);
    expect((await begin()).finished_at).toBe(NOON + 2);
    await forgetImports(directory, NOON + 1);
    expect(await secrets()).toHaveLength(1);
    await forgetImports(directory, NOON + 2);
    expect(await secrets()).toEqual([]);
    expect(await importSecret(directory, two.id, NOON + 3)).toHaveLength(32);
  });

  test('a deleted site’s imports and their secrets are deleted, too', async () => {
    await importSecret(directory, (await begin()).id, NOON);
    await deleteSite(directory, { siteId: site.id }, NOON);
    expect(await secrets()).toEqual([]);
    expect(await directory.db.selectFrom('imports').select('id').execute()).toEqual([]);
  });
});
