// The mails about the plan: which are queued, to whom, and each once.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { mailPlanNotices } from '../../server/accounts/billing/notices.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { queuedMail } from '../setup/notifications/queued-mail.ts';

const DAY = 86_400_000;

describe.each(FORMS)('mails about the plan in %s', (form) => {
  test('go to owners at 7, 3 and 0 days of the trial, when a payment fails and when the plan ends, each once', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const clock = { now: NOON };
    const mail = await queuedMail(directory, () => clock.now);
    const person = { email: 'ada@example.com', password: 'correct horse' };
    const { account } = await createAccount(directory, person, NOON);
    await createAccount(directory, { ...person, email: 'operator@example.com', kind: 'operator' }, NOON);
    const viewer = await createAccount(directory, { ...person, email: 'eve@example.com', status: 'active' }, NOON);
    const member = { account_id: account.id, user_id: viewer.user.id, role: 'viewer', created_at: NOON } as const;
    await db.insertInto('members').values(member).execute();
    /** What is queued by this time and was not before. */
    const newAt = async (at: number) => {
      clock.now = at;
      const before = await db.selectFrom('mails').select('id').execute();
      await mailPlanNotices({ directory, mail }, at);
      await mailPlanNotices({ directory, mail }, at + 1);
      const rows = await db.selectFrom('mails').select(['id', 'kind', 'recipient', 'data']).execute();
      return rows
        .filter(({ id }) => !before.some((row) => row.id === id))
        .map(({ kind, recipient, data }) => {
          const { days } = JSON.parse(data ?? '{}') as { days?: number };
          return `${kind}${days === undefined ? '' : ` ${days}`} to ${recipient}`;
        });
    };
    const end = NOON + 14 * DAY;
    const quiet: string[] = [];
    expect(await newAt(end - 7 * DAY - 2)).toEqual(quiet);
    expect(await newAt(end - 7 * DAY)).toEqual(['trial_ends 7 to ada@example.com']);
    expect(await newAt(end - 3 * DAY - 2)).toEqual(quiet);
    expect(await newAt(end - 3 * DAY)).toEqual(['trial_ends 3 to ada@example.com']);
    expect(await newAt(end - 2)).toEqual(quiet);
    expect(await newAt(end)).toEqual(['trial_ends 0 to ada@example.com']);
    expect(await newAt(end + 30 * DAY)).toEqual(quiet);

    const accountId = account.id;
    const now = end + 40 * DAY;
    await setPlan(directory, { accountId, plan: 'pro', status: 'active' }, now);
    expect(await newAt(now)).toEqual(quiet);
    await setPlan(directory, { accountId, status: 'past_due' }, now);
    expect(await newAt(now)).toEqual(['payment_failed to ada@example.com']);
    expect(await newAt(now + 14 * DAY - 2)).toEqual(quiet);
    expect(await newAt(now + 14 * DAY)).toEqual(['plan_ended to ada@example.com']);
    await setPlan(directory, { accountId, status: 'cancelled', until: now + 60 * DAY }, now);
    expect(await newAt(now + 60 * DAY - 2)).toEqual(quiet);
    // A server that was down for long tells nobody about old ends.
    expect(await newAt(now + 67 * DAY)).toEqual(quiet);
    expect(await newAt(now + 66 * DAY)).toEqual(['plan_ended to ada@example.com']);

    // After downtime only the nearest milestone is mailed, with the days that are really left.
    await setPlan(directory, { accountId, status: 'trialing', until: now + 102 * DAY }, now);
    expect(await newAt(now + 100 * DAY)).toEqual(['trial_ends 2 to ada@example.com']);
    mail.close();
  });
});
