// The exports of an account, one in each state. Another process has claimed those that are not ready, so that none is made meanwhile.
import type { Export } from '../../server/accounts/exports.ts';
import { makeId } from '../../server/directory/ids.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import type { TestApp } from '../setup/app.ts';

export async function addExports(server: TestApp, { accountId, now }: { accountId: string; now: number }) {
  const { db } = server.app.services.directory;
  const sites = await db.selectFrom('sites').select(['id', 'domain']).where('account_id', '=', accountId).execute();
  const exportOf = (domain: string, { age, ...given }: Partial<Export> & { age: number }): Export => ({
    id: makeId('export'),
    account_id: accountId,
    site_id: sites.find((site) => site.domain === domain)?.id ?? null,
    user_id: '',
    kind: 'open',
    recipient: null,
    tries: 1,
    state: 'waiting',
    done: 0,
    total: 0,
    bytes: 0,
    claimed_until: now + DAY_MS,
    created_at: now - age,
    ready_at: null,
    ...given,
  });
  const rows = [
    exportOf('', { age: MINUTE_MS }),
    exportOf('demo.example', { age: 3 * MINUTE_MS, kind: 'sealed', state: 'making', done: 431_208, total: 1_027_400 }),
    exportOf('letters.example', { age: HOUR_MS, state: 'failed' }),
    exportOf('demo.example', { age: 2 * HOUR_MS, state: 'ready', ready_at: now - 2 * HOUR_MS, bytes: 48_213_900 }),
    exportOf('letters.example', {
      age: 20 * HOUR_MS,
      kind: 'sealed',
      state: 'ready',
      ready_at: now - 20 * HOUR_MS,
      bytes: 912_400,
    }),
  ];
  await db.insertInto('exports').values(rows).execute();
}
