// The operator's command line on stores that a server holds open at the same time: some commands as processes of their own, as operators run
// them, and the others in this process.
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { COMMANDS, manage, outcomeOf, Usage } from '../../server/operator/manage.ts';
import { readConfig } from '../../server/config.ts';
import { siteFor } from '../../server/sites/access.ts';
import { addMember, type Place as MemberPlace } from '../../server/accounts/people/people.ts';
import { accountOfEmail, createAccount, insertUser, prepareAccount } from '../../server/accounts/accounts.ts';
import { openDirectory, type Directory } from '../../server/directory/open.ts';
import { siteOfIngestToken } from '../../server/sites/ingest.ts';
import { accountOfKey } from '../../server/accounts/keys.ts';
import { say } from '../../server/vocabulary/habits/messages.ts';
import { caller, testAuth } from '../setup/accounts/auth.ts';
import { directoryPlace, FORMS, type Place } from '../setup/directory.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';

const PASSWORD = 'correct horse';
type Values = Record<string, string>;

type Stores = Pick<Place, 'folder' | 'databaseUrl'>;
const environmentOf = ({ folder, databaseUrl }: Stores) => ({ DATA_DIR: folder, DATABASE_URL: databaseUrl });

const run = (place: Stores & { stdin?: string }, ...args: string[]) =>
  runManage(args, environmentOf(place), { stdin: place.stdin ?? '' });

/** In this process, which takes no second. */
async function call(place: Stores, ...args: string[]): ReturnType<typeof outcomeOf> {
  let said = '';
  const say = (text: string) => void (said += `${text}\n`);
  const outcome = await outcomeOf(args, { readConfig: () => readConfig(environmentOf(place)), say });
  return { ...outcome, stderr: said + outcome.stderr };
}

function made(result: Awaited<ReturnType<typeof outcomeOf>>): unknown {
  expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
  expect(result.stdout).toMatch(/^\{.*\}\n$/); // one line
  return JSON.parse(result.stdout);
}

const failed = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` });
const ID = expect.stringMatching(/^acct_[0-9A-HJKMNP-TV-Z]{26}$/) as string;
const SITE_ID = expect.stringMatching(/^site_[0-9A-HJKMNP-TV-Z]{16}$/) as string;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe.each(FORMS)('manage on %s', (form) => {
  test('creates an account, a site and a key, sets the plan and lists everything, while a server runs', async () => {
    await using place = await directoryPlace(form);
    const server = await openDirectory(place);
    const account = { id: ID, email: 'ada@example.com', plan: 'pro', status: 'active', until: null };
    const create = ['account', 'create', '--email', 'Ada@example.com', '--password', PASSWORD, '--plan', 'pro'];
    expect(made(await run(place, ...create))).toEqual(account);
    const site = { id: SITE_ID, domain: 'example.com', created_at: INSTANT, tracking: false };
    const addSite = ['site', 'create', '--account', 'ada@example.com', '--domain', 'https://Example.com/'];
    const madeSite = made(await run(place, ...addSite)) as typeof site;
    expect(madeSite).toEqual(site);
    expect(Object.keys(madeSite)).toEqual(['id', 'domain', 'created_at', 'tracking']);
    const addKey = ['key', 'create', '--account', 'ada@example.com', '--name', 'server'];
    const { key, ...rest } = made(await run(place, ...addKey)) as { key: string };
    const { token } = made(await call(place, 'ingest-token', 'create', '--site', 'Example.com')) as { token: string };
    expect(token).toMatch(/^ft_[0-9A-Za-z]{40}$/);
    const domain = { id: madeSite.id, domain: 'example.com' };
    expect(await siteOfIngestToken(server, token, Date.now())).toEqual(domain);
    expect([key, rest]).toEqual([expect.stringMatching(/^ff_[0-9A-Za-z]{40}$/), {}]);

    // The server sees everything at once.
    const now = Date.now();
    const owner = await accountOfKey(server, key, now);
    const viewer = { kind: 'key', accountId: owner?.accountId ?? '' } as const;
    const access = await siteFor(server, viewer, { siteId: madeSite.id }, 'read', { now, billing: 'on' });
    expect(access.site.domain).toBe('example.com');
    expect(await signsIn(server)).toBe(true);

    const until = ['--until', '2099-12-31T12:00:00+02:00'];
    const cancel = ['plan', 'set', '--account', 'ada@example.com', '--plan', 'starter', '--status', 'cancelled'];
    const cancelled = { ...account, plan: 'starter', status: 'cancelled', until: '2099-12-31T10:00:00.000Z' };
    expect(made(await call(place, ...cancel, ...until))).toEqual(cancelled);
    expect(await accountOfEmail(server, 'ada@example.com')).toMatchObject({ plan: 'starter', status: 'cancelled' });
    const prepared = await prepareAccount({ email: 'bob@example.com', password: PASSWORD });
    const bob = await insertUser(server.db, prepared, now);
    const reads: MemberPlace = { role: 'viewer', siteIds: [access.site.id] };
    const joining = { accountId: access.account.id, userId: bob.id, place: reads };
    await addMember(server.db, joining, now + 1);
    const members = [
      { email: 'ada@example.com', role: 'owner', joined_at: INSTANT, sites: null },
      { email: 'bob@example.com', role: 'viewer', joined_at: INSTANT, sites: ['example.com'] },
    ];
    expect(made(await run(place, 'list'))).toEqual({ accounts: [{ ...cancelled, members, sites: [site] }] });
    await call(place, 'plan', 'set', '--account', 'ada@example.com', '--status', 'cancelled', '--until', '2020-01-01');
    expect(made(await call(place, 'list'))).toMatchObject({ accounts: [{ status: 'expired' }] });
    await server.close();
  });

  test('reads the password from standard input, where no other user can see it', async () => {
    await using place = await directoryPlace(form);
    const create = ['account', 'create', '--email', 'ada@example.com', '--password-stdin', '--plan', 'pro'];
    expect(await run({ ...place, stdin: '' }, ...create)).toEqual(
      failed('--password-stdin: standard input is empty. It must hold the password on one line. See --help.'),
    );
    expect(await run({ ...place, stdin: 'password\n' }, ...create)).toEqual(
      failed('This password is easy to guess: choose another, such as a few words.'),
    );
    expect(await run({ ...place, stdin: PASSWORD }, ...create, '--password', PASSWORD)).toEqual(
      failed('--password and --password-stdin cannot be combined. See --help.'),
    );
    made(await run({ ...place, stdin: `${PASSWORD}\r\n` }, ...create));
    const server = await openDirectory(place);
    expect(await signsIn(server)).toBe(true);
    await server.close();
  });

  test('lists the keys of an account with their last use, and revokes one for good', async () => {
    await using place = await directoryPlace(form);
    const server = await openDirectory(place);
    await createAccount(server, { email: 'ada@example.com', password: PASSWORD }, 0);
    const account = ['--account', 'ada@example.com'];
    const keys: string[] = [];
    for (const name of ['one', 'two'])
      keys.push((made(await call(place, 'key', 'create', ...account, '--name', name)) as { key: string }).key);
    const [first = '', second = ''] = keys;
    const at = Date.UTC(2026, 10, 20);
    await accountOfKey(server, first, at);
    const listed = made(await call(place, 'key', 'list', ...account)) as { keys: { id: string }[] };
    const id = expect.stringMatching(/^key_[0-9A-HJKMNP-TV-Z]{26}$/) as string;
    expect(listed).toEqual({
      keys: [
        { id, name: 'one', prefix: first.slice(0, 8), created_at: INSTANT, last_used_at: '2026-11-20T00:00:00.000Z' },
        { id, name: 'two', prefix: second.slice(0, 8), created_at: INSTANT, last_used_at: null },
      ],
    });
    const revoke = ['key', 'revoke', ...account, '--id', listed.keys[0]?.id ?? ''];
    expect(made(await call(place, ...revoke))).toEqual({ revoked: listed.keys[0]?.id });
    expect(await accountOfKey(server, first, at)).toBeUndefined();
    expect(await accountOfKey(server, second, at)).toBeDefined();
    expect(made(await call(place, 'key', 'list', ...account))).toMatchObject({ keys: [{ name: 'two' }] });
    expect(await call(place, ...revoke)).toEqual(failed('There is no such key in this account.'));
    await server.close();
  });

  test('reports what cannot be done in one sentence on stderr, with exit code 1', async () => {
    await using place = await directoryPlace(form);
    const directory = await openDirectory(place);
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, 0);
    await directory.close();
    const account = ['--account', 'ada@example.com'];
    const cases: [string[], string][] = [
      [
        ['account', 'create', '--email', 'ada@example.com', '--password', PASSWORD, '--plan', 'pro'],
        'There is already an account with this e-mail address.',
      ],
      [
        ['site', 'create', '--account', 'eve@example.com', '--domain', 'example.com'],
        'There is no account with the e-mail address eve@example.com.',
      ],
      [
        ['ingest-token', 'create', '--site', 'example.com'],
        'There is no site example.com: create it first, with "site create".',
      ],
      [
        ['site', 'create', ...account, '--domain', 'nonsense'],
        '"nonsense" is not a domain: enter one such as example.com or shop.example.com.',
      ],
    ];
    for (const [args, sentence] of cases) expect(await call(place, ...args)).toEqual(failed(sentence));
    const [args, sentence] = cases[0] as (typeof cases)[number];
    expect(await run(place, ...args)).toEqual(failed(sentence));
  });
});

test('changes the e-mail address of somebody who cannot read the old mailbox', async () => {
  await using place = await directoryPlace('sqlite');
  const create = ['account', 'create', '--email', 'ada@example.com', '--password', PASSWORD, '--plan', 'pro'];
  made(await call(place, ...create));
  const change = ['account', 'email', '--email', 'Ada@example.com', '--to', 'ada@Example.org'];
  expect(made(await run(place, ...change))).toEqual({ email: 'ada@example.org', was: 'ada@example.com' });
  expect(await call(place, ...change)).toEqual(failed('Nobody has the e-mail address ada@example.com.'));
});

test('makes, lists, pauses and revokes share links with their rules', async () => {
  await using place = await directoryPlace('sqlite');
  const account = ['--email', 'ada@example.com', '--password', PASSWORD, '--plan', 'pro'];
  made(await call(place, 'account', 'create', ...account));
  made(await call(place, 'site', 'create', '--account', 'ada@example.com', '--domain', 'example.com'));
  const ofSite = ['--site', 'example.com'];
  const filter = { dimension: 'country', operator: 'is', values: ['DE'] };
  const rules = ['--days', '30', '--filter', JSON.stringify(filter), '--part', 'pages', '--part', 'sources'];
  const more = [
    '--until',
    '2027-03-31',
    '--fewest',
    '10',
    '--password',
    'a few good words',
    '--theme',
    'dark',
    '--timezone',
    'UTC',
  ];
  const link = made(await call(place, 'share', 'create', ...ofSite, '--name', 'ACME', ...rules, ...more));
  const { id, url } = link as { id: string; url: string };
  expect(url).toMatch(/^http:\/\/localhost:\d+\/share\/\w{32}$/);
  const list = async () => (made(await call(place, 'share', 'list', ...ofSite)) as { links: unknown[] }).links;
  expect(await list()).toEqual([
    expect.objectContaining({
      id,
      name: 'ACME',
      expires_at: '2027-03-31T00:00:00.000Z',
      has_password: true,
      paused: false,
      public: false,
      indexed: false,
      shows: { properties: false, fewest: 10, credit: true, embedded_on: [] },
      rules: { filters: [filter], period: { days: 30 }, parts: ['pages', 'sources'], timezone: 'UTC' },
      looks: { theme: 'dark' },
      last_used_at: null,
      views: [],
    }),
  ]);
  expect(made(await call(place, 'share', 'pause', ...ofSite, '--id', id))).toEqual({ id, paused: true });
  expect(await list()).toMatchObject([{ paused: true }]);
  made(await call(place, 'share', 'resume', ...ofSite, '--id', id));
  expect(await list()).toMatchObject([{ paused: false, has_password: true }]);
  expect(made(await call(place, 'share', 'revoke', ...ofSite, '--id', id))).toEqual({ revoked: id });
  expect(await list()).toEqual([]);
  made(await call(place, 'share', 'create', ...ofSite, '--name', 'Open', '--public', '--indexed'));
  expect(await list()).toMatchObject([{ name: 'Open', public: true, indexed: true }]);
  const wrong: [string[], string][] = [
    [['--public'], 'public: another link of this site is public, and only one can be.'],
    [['--from', '2026-11-01'], '--from and --to need each other. See --help.'],
    [['--indexed'], 'indexed: search engines can only list a link that is public.'],
    [['--filter', '{'], '--filter must be JSON. See --help.'],
    [['--password', 'short'], 'The password must have 8 to 128 characters.'],
    [
      ['--filter', JSON.stringify({ ...filter, dimension: 'goal' })],
      'filters: a link cannot be narrowed by goals, funnels and AI visits.',
    ],
  ];
  for (const [args, sentence] of wrong)
    expect(await call(place, 'share', 'create', ...ofSite, '--name', 'x', ...args)).toEqual(failed(sentence));
});

const repeated = (times: number, ...args: string[]) => Array.from({ length: times }, () => args).flat();

test('reports wrong commands and options before any store is opened', async () => {
  const config = readConfig({ DATA_DIR: '/proc/nowhere', LOG_LEVEL: 'silent' });
  const context = { config, now: 0, say: () => undefined };
  const account = ['--email', 'a@b.cd', '--password', PASSWORD];
  const cases: [string[], string][] = [
    [['nonsense'], 'There is no command "nonsense".'],
    [['account'], 'There is no command "account".'],
    [['site', 'delete', '--account', 'x'], 'There is no command "site delete x".'],
    [['account', 'create', '--password', PASSWORD, '--plan', 'pro'], '--email is missing.'],
    [['account', 'create', ...account], '--plan is missing.'],
    [['account', 'create', ...account, '--plan', 'free'], '--plan must be one of starter, pro.'],
    [['account', 'create', ...account, '--plan'], '--plan needs a value.'],
    [
      ['account', 'create', '--email', '--password', PASSWORD],
      '--email needs a value: one that begins with a dash is written --email=VALUE.',
    ],
    [
      ['plan', 'set', '--account=-a@b.cd', '--status='],
      '--status must be one of trialing, active, past_due, cancelled, expired.',
    ],
    [['account', 'create', ...account, '--role', 'admin'], "Unknown option '--role'."],
    [['site', 'create', 'example.com'], '"example.com" is one argument too many: write options as --name VALUE.'],
    [
      ['plan', 'set', '--account', 'a@b.cd', '--until', '31.12.2026'],
      '--until must be a date such as 2026-12-31 or 2026-12-31T12:00:00Z.',
    ],
    [
      ['plan', 'set', '--account', 'a@b.cd', '--status', 'gone'],
      '--status must be one of trialing, active, past_due, cancelled, expired.',
    ],
    [
      ['site', 'create', '--account', 'a@b.cd', '--domain', 'a.example', '--domain=b.example'],
      '--domain is given twice: give it only once.',
    ],
    [['list', '--all'], "Unknown option '--all'."],
    [['list', '-a'], "Unknown option '-a'."],
    [['list', '--__proto__=x'], "Unknown option '--__proto__'."],
    [['verify', 'now'], '"now" is one argument too many: write options as --name VALUE.'],
    [['stats', '--site', 'a.example', '--json=yes'], '--json takes no value.'],
    [
      ['stats', '--site', 'a.example', ...repeated(21, '--filter', 'page=/')],
      '--filter may be given at most 20 times.',
    ],
    [['mail', 'log', '--last', '1.5'], '--last must be a whole number.'],
    [['mail', 'log', '--last', '0'], '--last must be at least 1.'],
    [['mail', 'log', '--last', '10001'], '--last must be at most 10,000.'],
    [
      ['share', 'create', '--site', 'a.example', '--name', 'x', '--from', '1.1.'],
      '--from must be a date such as 2026-12-31.',
    ],
    [['restore', '--from', '/srv', '--at', 'noon'], '--at must be a time such as 2026-12-31T12:00:00Z.'],
    [['import', '--site', 'a.example'], 'FILE is missing.'],
  ];
  for (const [args, sentence] of cases) {
    const error = await manage(args, context).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Usage);
    expect(error).toHaveProperty('message', sentence);
  }
});

test('--help lists the commands, and the options of each command', async () => {
  const context = { config: readConfig({}), now: 0, say: () => undefined };
  const overview = (await manage(['--help'], context)) as { help: string };
  expect(await manage([], context)).toEqual(overview);
  for (const { name, summary, options } of COMMANDS) {
    expect(overview.help).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    const { help } = (await manage([...name.split(' '), '--help'], context)) as { help: string };
    expect(help).toMatch(new RegExp(`^Usage: npm run manage -- ${name}`));
    for (const [option, schema] of Object.entries(options.shape)) {
      expect(help.toLowerCase()).toContain(option);
      const { description = '', places } = (schema as z.ZodType).meta() as { description?: string; places?: Values };
      expect(help).toContain(say(description, places));
    }
  }
  const printed = await run({ folder: '/proc/nowhere', databaseUrl: undefined }, 'plan', 'set', '--help');
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(printed.stdout).toMatch(
    /^Usage: npm run manage -- plan set --account EMAIL \[--plan starter\|pro\] \[--status trialing\|active\|past_due\|cancelled\|expired\] \[--until ISO\]\n/,
  );
});

test('reports a database that cannot be reached, and a wrong configuration, in a sentence', async () => {
  await using temp = await tempFolder();
  const folder = temp.path;
  const away = await run({ folder, databaseUrl: 'postgres://127.0.0.1:1/none' }, 'list');
  expect(away).toEqual(failed('The directory store does not answer. connect ECONNREFUSED 127.0.0.1:1'));
  const wrong = await run({ folder, databaseUrl: 'mysql://127.0.0.1/none' }, 'list');
  expect(wrong).toEqual(failed('DATABASE_URL: must be an address such as postgres://user:password@localhost/footfall'));
});

async function signsIn(directory: Directory): Promise<boolean> {
  const auth = await testAuth(directory);
  const { setCookies } = await auth.signIn({ email: 'ada@example.com', password: PASSWORD }, caller());
  return setCookies.length > 0;
}
