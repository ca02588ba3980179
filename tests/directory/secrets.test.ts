// Secrets that people hand out: the rules for every kind, and those of an earlier version that still work.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { accountOfKey, createKey, listKeys, revokeKey } from '../../server/accounts/keys.ts';
import type { Directory } from '../../server/directory/open.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import {
  createIngestToken,
  listIngestTokens,
  revokeIngestToken,
  siteOfIngestToken,
} from '../../server/sites/ingest.ts';
import {
  createShareLink,
  listShareLinks,
  revokeShareLink,
  siteOfShareToken,
} from '../../server/sites/sharing/share.ts';
import { createSite } from '../../server/sites/sites.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';

type Owner = { accountId: string; siteId: SiteId };
type Kind = {
  limit: number;
  make(directory: Directory, owner: Owner): Promise<{ id: string; secret: string }>;
  isLive(directory: Directory, secret: string): Promise<boolean>;
  list(directory: Directory, owner: Owner): Promise<{ id: string }[]>;
  revoke(directory: Directory, owner: Owner, id: string): Promise<unknown>;
};

const KINDS: Record<'api_keys' | 'ingest_tokens' | 'share_links', Kind> = {
  api_keys: {
    limit: 10,
    make: async (directory, { accountId }) => {
      const { id, key } = await createKey(directory, { accountId, name: 'n' }, NOON);
      return { id, secret: key };
    },
    isLive: async (directory, secret) => (await accountOfKey(directory, secret, NOON)) !== undefined,
    list: (directory, { accountId }) => listKeys(directory, accountId),
    revoke: (directory, { accountId }, keyId) => revokeKey(directory, { accountId, keyId }, NOON),
  },
  ingest_tokens: {
    limit: 5,
    make: async (directory, { siteId }) => {
      const { id, token } = await createIngestToken(directory, { siteId }, NOON);
      return { id, secret: token };
    },
    isLive: async (directory, secret) => (await siteOfIngestToken(directory, secret, NOON)) !== undefined,
    list: (directory, { siteId }) => listIngestTokens(directory, siteId),
    revoke: (directory, { siteId }, tokenId) => revokeIngestToken(directory, { siteId, tokenId }, NOON),
  },
  share_links: {
    limit: 50,
    make: async (directory, { siteId }) => {
      const { id, token } = await createShareLink(directory, { siteId, name: 'n' }, NOON);
      return { id, secret: token };
    },
    isLive: async (directory, secret) => (await siteOfShareToken(directory, secret, NOON)) !== undefined,
    list: (directory, { siteId }) => listShareLinks(directory, siteId),
    revoke: (directory, { siteId }, linkId) => revokeShareLink(directory, { siteId, linkId }, NOON),
  },
};
const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

async function ownerOf(directory: Directory, domain: string): Promise<Owner> {
  const { account } = await createAccount(directory, { email: `owner@${domain}`, password: 'correct horse' }, NOON);
  const site = await createSite(directory, { accountId: account.id, domain }, NOON);
  return { accountId: account.id, siteId: site.id };
}

describe.each(FORMS)('secrets in %s', (form) => {
  test.each(NAMES)(
    '%s are limited also when created at once, belong to their owner, and end when revoked',
    async (name) => {
      await using directory = await testDirectory(form);
      const { limit, make, isLive, list, revoke } = KINDS[name];
      const [ada, bob] = [await ownerOf(directory, 'ada.example'), await ownerOf(directory, 'bob.example')];
      const made = await Promise.allSettled(Array.from({ length: limit + 3 }, () => make(directory, ada)));
      const live = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(live).toHaveLength(limit);
      await make(directory, bob);
      const [first] = live;
      if (!first) throw new Error('none was made');
      expect(await isLive(directory, first.secret)).toBe(true);
      const kept = JSON.stringify(await directory.db.selectFrom(name).selectAll().execute());
      expect(kept).not.toContain(first.secret.slice(8));
      expect(Object.keys((await list(directory, ada))[0] ?? {})).not.toContain('hash');

      await expect(revoke(directory, bob, first.id)).rejects.toMatchObject({ code: 'not_found' });
      await revoke(directory, ada, first.id);
      await expect(revoke(directory, ada, first.id)).rejects.toMatchObject({ code: 'not_found' });
      expect(await isLive(directory, first.secret)).toBe(false);
      expect((await list(directory, ada)).map(({ id }) => id)).not.toContain(first.id);
      await make(directory, ada);
    },
  );

  test('a secret of one kind is never accepted as another kind', async () => {
    await using directory = await testDirectory(form);
    const owner = await ownerOf(directory, 'ada.example');
    for (const name of NAMES) {
      const { secret } = await KINDS[name].make(directory, owner);
      const takenBy = [];
      for (const other of NAMES) if (await KINDS[other].isLive(directory, secret)) takenBy.push(other);
      expect(takenBy).toEqual([name]);
    }
  });

  test('those that an earlier version created still work, and those that it revoked do not', async () => {
    await using directory = await testDirectory(form);
    const { accountId, siteId } = await ownerOf(directory, 'ada.example');
    const secrets = {
      api_keys: `ff_${'k'.repeat(40)}`,
      ingest_tokens: `ft_${'t'.repeat(40)}`,
      share_links: 's'.repeat(32),
    };
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    await sql`insert into api_keys (id, account_id, name, prefix, hash, created_at)
      values ('key_A', ${accountId}, 'k', 'ff_kkkkk', ${hashOf(secrets.api_keys)}, 1)`.execute(directory.db);
    await sql`insert into ingest_tokens (id, site_id, prefix, hash, created_at)
      values ('ingest_A', ${siteId}, 'ft_ttttt', ${hashOf(secrets.ingest_tokens)}, 1)`.execute(directory.db);
    await sql`insert into share_links (id, site_id, name, hash, created_at, revoked_at, fewest)
      values ('share_A', ${siteId}, 's', ${hashOf(secrets.share_links)}, 1, null, 1),
        ('share_B', ${siteId}, 's', ${hashOf('r'.repeat(32))}, 1, 2, 1)`.execute(directory.db);

    for (const name of NAMES) expect([name, await KINDS[name].isLive(directory, secrets[name])]).toEqual([name, true]);
    expect(await siteOfShareToken(directory, secrets.share_links, NOON)).toMatchObject({
      siteId,
      shows: { fewest: 1 },
    });
    expect(await siteOfShareToken(directory, 'r'.repeat(32), NOON)).toBeUndefined();
  });
});
