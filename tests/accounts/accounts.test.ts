// Tests accounts and the first start, on both directory databases.
import { describe, expect, test } from 'vitest';
import {
  accountOfEmail,
  accountsOf,
  createAccount,
  hasAccounts,
  listAccounts,
} from '../../server/accounts/accounts.ts';
import { effectivePlan } from '../../server/accounts/billing/plans.ts';
import { firstStartToken, redeemFirstStart } from '../../server/accounts/first-start.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';

describe.each(FORMS)('accounts in %s', (form) => {
  test('an account is created with its user, its owner and a trial of 14 days', async () => {
    await using directory = await testDirectory(form);
    expect(await hasAccounts(directory)).toBe(false);
    const input = { email: ' Ada@Example.com ', password: PASSWORD };
    const { account, user } = await createAccount(directory, input, NOON);
    expect(user).toEqual({ id: expect.stringMatching(/^user_/) as string, email: 'ada@example.com', name: 'ada' });
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_[0-9A-HJKMNP-TV-Z]{26}$/) as string,
      name: 'ada',
      kind: 'customer',
      plan: 'pro',
      status: 'trialing',
      trial_ends_at: null,
      paid_until: null,
      requires_factor: 0,
      deletes_at: null,
      created_at: NOON,
    });
    expect(effectivePlan(account, NOON, { billing: 'on' }).endsAt).toBe(NOON + 14 * DAY);
    expect(await hasAccounts(directory)).toBe(true);
    expect(await accountsOf(directory, user.id)).toEqual([{ ...account, role: 'owner' }]);
    expect(await accountOfEmail(directory, 'ADA@example.com')).toEqual(account);
    const operators = { email: 'bob@example.com', password: PASSWORD, plan: 'starter', status: 'active' } as const;
    const made = await createAccount(directory, { ...operators, name: 'Bob' }, NOON + 1);
    expect(made.account).toMatchObject({ name: 'Bob', plan: 'starter', status: 'active', trial_ends_at: null });
    const emails = (await listAccounts(directory)).map((each) => each.emails);
    expect(emails).toEqual([['ada@example.com'], ['bob@example.com']]);
    const stored = JSON.stringify(await directory.db.selectFrom('credentials').selectAll().execute());
    expect(stored).not.toContain(PASSWORD);
  });

  test('bad input creates no account, and the message says what is allowed', async () => {
    await using directory = await testDirectory(form);
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const tries: [string, string, string][] = [
      ['ADA@example.com', PASSWORD, 'There is already an account with this e-mail address.'],
      ['ada', PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      ['a\0b@example.com', PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      [`${'a'.repeat(250)}@x.yz`, PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      ['bob@example.com', 'short77', 'The password must have 8 to 128 characters.'],
      ['bob@example.com', 'x'.repeat(129), 'The password must have 8 to 128 characters.'],
      ['bob@example.com', 'Bob@example.com', 'The password must differ from the e-mail address.'],
    ];
    for (const [email, password, message] of tries)
      expect(await outcome(createAccount(directory, { email, password }, NOON))).toBe(`bad_request: ${message}`);
    const long = { email: 'bob@example.com', password: PASSWORD, name: 'x'.repeat(101) };
    expect(await outcome(createAccount(directory, long, NOON))).toMatch(/^bad_request: The name/);
    expect(await listAccounts(directory)).toHaveLength(1);
    expect(await directory.db.selectFrom('users').selectAll().execute()).toHaveLength(1);
    expect(await outcome(accountOfEmail(directory, 'bob@example.com'))).toBe(
      'not_found: There is no account with the e-mail address bob@example.com.',
    );
  });

  test('when two people sign up with the same e-mail address at once, exactly one gets it', async () => {
    await using directory = await testDirectory(form);
    const input = { email: 'ada@example.com', password: PASSWORD };
    const made = await Promise.allSettled([1, 2].map(() => createAccount(directory, input, NOON)));
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const table of ['users', 'credentials', 'accounts', 'members'] as const)
      expect(await directory.db.selectFrom(table).selectAll().execute()).toHaveLength(1);
  });

  test('the first account is created once, through one of the addresses that a start printed', async () => {
    await using directory = await testDirectory(form);
    const tokens = [await firstStartToken(directory, NOON), await firstStartToken(directory, NOON + 1)] as string[];
    const [first = '', second = ''] = tokens;
    expect(first).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(JSON.stringify(await directory.db.selectFrom('first_start').selectAll().execute())).not.toContain(first);
    const person = { email: 'ada@example.com', password: PASSWORD };
    const closed = 'forbidden: This address is no longer valid: log in, or start Footfall again to get a new one.';
    for (const token of ['wrong', `${first}\0`])
      expect(await outcome(redeemFirstStart(directory, { ...person, token }, NOON))).toBe(closed);
    expect(await outcome(redeemFirstStart(directory, { ...person, token: first, password: 'x' }, NOON))).toMatch(
      /^bad_request/,
    );
    const redeemed = await Promise.allSettled(
      [first, second, first].map((token, n) =>
        redeemFirstStart(directory, { ...person, email: `p${n}@example.com`, token }, NOON),
      ),
    );
    expect(redeemed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const [made] = await listAccounts(directory);
    expect(made).toMatchObject({
      kind: 'operator',
      plan: 'pro',
      status: 'active',
      trial_ends_at: null,
      paid_until: null,
      requires_factor: 0,
      deletes_at: null,
    });
    for (const token of tokens) {
      expect(await outcome(redeemFirstStart(directory, { ...person, token }, NOON))).toBe(closed);
    }
    expect(await firstStartToken(directory, NOON)).toBeUndefined();
  });

  test('an account that the operator created closes the first-start page', async () => {
    await using directory = await testDirectory(form);
    const token = (await firstStartToken(directory, NOON)) ?? '';
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const person = { token, email: 'eve@example.com', password: PASSWORD };
    expect(await outcome(redeemFirstStart(directory, person, NOON))).toMatch(/^forbidden/);
  });

  test('only the newest first-start addresses are kept', async () => {
    await using directory = await testDirectory(form);
    for (let n = 0; n < 12; n += 1) await firstStartToken(directory, NOON + n);
    expect(await directory.db.selectFrom('first_start').selectAll().execute()).toHaveLength(10);
  });
});
