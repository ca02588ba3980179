/** @module-tag attack */
// The security log of a real server: one line for each notable action, and nothing in it that identifies people.
import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';
import { startServer } from '../setup/server.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';

const ADA = { email: 'ada@example.com', password: 'correct horse battery' };
const NEXT = 'battery staple of ada';
const ADDRESS = '203.0.113.77';

type Line = Record<string, string>;

async function manage(folder: string, ...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await runManage(args, { DATA_DIR: folder });
  return JSON.parse(stdout || '{}') as Record<string, string>;
}

/** Ada's account and her site. */
async function createAda(folder: string) {
  const login = ['--email', ADA.email, '--password', ADA.password];
  const account = await manage(folder, 'account', 'create', ...login, '--plan', 'pro');
  const site = await manage(folder, 'site', 'create', '--account', ADA.email, '--domain', 'ada.example');
  return { account, site };
}

test('each sign-in, refusal, key, token, link, deletion and command is a line of ids', async () => {
  showsRefused('actions without a log line');
  await using place = await tempFolder();
  const folder = place.path;
  await using server = await startServer({ DATA_DIR: folder, LOG_LEVEL: 'info' });
  const lines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"security"'))
      .map((line) => JSON.parse(line) as Line);
  const headers = { origin: server.url, 'content-type': 'application/json', 'x-forwarded-for': ADDRESS };
  const signIn = async (body: object, more: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/auth/sign-in/email`, init);
    return cookieOf(answer.headers.getSetCookie()).cookie;
  };
  let cookie = '';
  const call = async (name: string, input: unknown): Promise<Line> => {
    const { stringify, parse } = await import('devalue');
    const init = { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(stringify(input)) };
    const answer = await fetch(`${server.url}/trpc/${name}`, init);
    const { result } = (await answer.json()) as { result?: { data: string } };
    if (!result) throw new Error(`${name} was answered with ${answer.status}`);
    cookie = cookieOf(answer.headers.getSetCookie()).cookie || cookie;
    return parse(result.data) as Line;
  };

  const { account, site } = await createAda(folder);
  await manage(folder, 'list');
  await manage(folder, 'plan', 'set', '--account', ADA.email, '--plan', 'starter');
  await manage(folder, 'plan', 'set', '--account', ADA.email, '--plan', 'pro');
  await manage(folder, 'site', 'create', '--account', ADA.email, '--domain', 'ada.example'); // already used
  await signIn({ ...ADA, password: 'wrong horse' });
  await signIn({ email: 'eve@example.com', password: 'wrong horse' });
  await signIn(ADA, { origin: 'https://evil.example' });
  cookie = await signIn(ADA);
  cookie = await signIn(ADA, { cookie });
  const key = await call('keys.create', { name: 'one' });
  await call('keys.revoke', { id: key['id'] });
  const token = await call('sites.ingestToken.create', { site_id: site['id'] });
  await call('sites.ingestToken.revoke', { site_id: site['id'], id: token['id'] });
  const link = await call('shares.create', { site_id: site['id'], name: 'press' });
  await call('shares.revoke', { site_id: site['id'], id: link['id'] });
  const wrong = (path: string, more: Record<string, string>, method = 'GET') =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(method === 'POST' && { body: '{}' }),
    });
  for (let n = 0; n < 30; n += 1) await wrong('/v1/sites', { authorization: `Bearer ff_${n}` });
  await wrong('/foot', { authorization: `Bearer ${token['token']}` }, 'POST');
  await wrong('/trpc/shares.site', { 'x-share-token': link['token'] ?? '' });
  await call('accounts.changePassword', { current_password: ADA.password, new_password: NEXT });
  await call('sites.delete', { site_id: site['id'], confirm_domain: 'ada.example' });
  await fetch(`${server.url}/auth/sign-out`, { method: 'POST', headers: { ...headers, cookie } });

  await eventually(() => expect(lines().at(-1)?.['event']).toBe('sign_out'));
  const [user_id, account_id, site_id] = [lines().at(-1)?.['user_id'], account['id'], site['id']];
  expect(user_id).toMatch(/^user_/);
  const whose = { account_id, user_id };
  const refusedKeys = Array.from({ length: 10 }, () => ({ event: 'key_refused' }));
  expect(lines().map(({ level: _level, time: _time, msg: _msg, ...says }) => says)).toEqual([
    { event: 'command', command: 'account create', outcome: 'done', account_id },
    { event: 'command', command: 'site create', outcome: 'done', account_id, site_id },
    { event: 'command', command: 'plan set', outcome: 'done', account_id },
    { event: 'command', command: 'plan set', outcome: 'done', account_id },
    { event: 'command', command: 'site create', outcome: 'refused', account_id },
    { event: 'sign_in_refused', user_id },
    { event: 'sign_in_refused' },
    { event: 'origin_refused' },
    { event: 'sign_in', user_id, browser: 'new' },
    { event: 'sign_in', user_id, browser: 'known' },
    { event: 'key_made', ...whose, key_id: key['id'] },
    { event: 'key_revoked', ...whose, key_id: key['id'] },
    { event: 'ingest_token_made', ...whose, site_id, token_id: token['id'] },
    { event: 'ingest_token_revoked', ...whose, site_id, token_id: token['id'] },
    { event: 'share_link_made', ...whose, site_id, link_id: link['id'] },
    { event: 'share_link_revoked', ...whose, site_id, link_id: link['id'] },
    ...refusedKeys,
    { event: 'limit', limit: 'wrong_keys' },
    { event: 'ingest_token_refused' },
    { event: 'share_token_refused' },
    { event: 'password_changed', user_id },
    { event: 'site_deleted', ...whose, site_id },
    { event: 'sign_out', user_id },
  ]);
  const secrets = [key['key'], token['token'], link['token'], ...cookie.split('; ').map((text) => text.split('=')[1])];
  const people = ['ada@', 'eve@', 'ada.example', ADDRESS, '127.0.0.1:', ADA.password, NEXT, 'wrong horse'];
  const log = JSON.stringify(lines());
  for (const text of [...secrets, ...people]) expect(log).not.toContain(text);
  // `plan set` is the only way to change a plan so far. Commands that only read write no line.
  expect(log).not.toContain('"command":"list"');
});

test('a command without a running server writes its line into a file of DATA_DIR, and nothing to stderr', async () => {
  showsRefused('actions without a log line');
  await using place = await tempFolder();
  const folder = `${place.path}/data`;
  const { account, site } = await createAda(folder);
  await manage(folder, 'key', 'create', '--account', ADA.email, '--name', 'server');
  const { keys } = (await manage(folder, 'key', 'list', '--account', ADA.email)) as unknown as {
    keys: { id: string }[];
  };
  const key_id = keys[0]?.id ?? '';
  await manage(folder, 'key', 'revoke', '--account', ADA.email, '--id', key_id);
  await manage(folder, 'ingest-token', 'create', '--site', 'ada.example');
  await manage(folder, 'plan', 'set', '--account', ADA.email, '--plan', 'starter');
  await manage(folder, 'site', 'create', '--account', ADA.email, '--domain', 'ada.example'); // already used
  await manage(folder, 'restore', '--from', `${place.path}/nothing`); // no backup
  await manage(folder, 'list');
  const text = await readFile(`${folder}/security.log`, 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const [account_id, site_id] = [account['id'], site['id']];
  const said = { level: 'info', time: expect.any(String) as string, msg: 'security', event: 'command' };
  expect(lines).toEqual([
    { ...said, command: 'account create', outcome: 'done', account_id },
    { ...said, command: 'site create', outcome: 'done', account_id, site_id },
    { ...said, command: 'key create', outcome: 'done', account_id, key_id },
    { ...said, command: 'key revoke', outcome: 'done', account_id, key_id },
    { ...said, command: 'ingest-token create', outcome: 'done', site_id, token_id: expect.any(String) as string },
    { ...said, command: 'plan set', outcome: 'done', account_id },
    { ...said, command: 'site create', outcome: 'refused', account_id },
    { ...said, command: 'restore', outcome: 'refused' },
  ]);
  expect(text).not.toMatch(/ada@|correct horse/);
  expect((await stat(`${folder}/security.log`)).mode & 0o777).toBe(0o600);
});

test('a refused command does not prevent a restore into a new DATA_DIR', async () => {
  await using place = await tempFolder();
  const [from, to] = [`${place.path}/from`, `${place.path}/to`];
  await manage(from, 'account', 'create', '--email', ADA.email, '--password', ADA.password, '--plan', 'pro');
  await manage(from, 'backup', '--to', `${place.path}/backup`);
  expect(await manage(to, 'restore', '--from', `${place.path}/nothing`)).toEqual({});
  expect(await manage(to, 'restore', '--from', `${place.path}/backup`)).toMatchObject({ sites: 0, events: 0 });
  expect(await readFile(`${to}/security.log`, 'utf8')).toMatch(
    /"restore","outcome":"refused".*\n.*"restore","outcome":"done"/,
  );
});
