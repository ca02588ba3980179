// The operator's command line speaks the language of the terminal: its help and its errors, and never its JSON.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalogue } from '../../languages/compiler/catalogues.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { readConfig } from '../../server/config.ts';
import { openControl } from '../../server/operator/control-socket.ts';
import { COMMANDS, outcomeOf } from '../../server/operator/manage.ts';
import { habitsOfAddress, inHabits } from '../../server/process/habits.ts';
import { openLog } from '../../server/process/log.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { say } from '../../server/vocabulary/habits/messages.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';

const NOW = Date.UTC(2026, 10, 20, 15, 30);
const PASSWORD = 'correct horse';
const german = readCatalogue('de');

const speaking = (tag: string | undefined, folder: string, ...args: string[]) => {
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent', NODE_ENV: 'test' };
  const options = { readConfig: () => readConfig(env), say: () => undefined };
  return inHabits(habitsOfAddress(tag), () => outcomeOf(args, options));
};

test('a terminal decides by LC_ALL, LC_MESSAGES and LANG', async () => {
  await using folder = await tempFolder();
  const run = (env: Record<string, string>, ...args: string[]) => runManage(args, { DATA_DIR: folder.path, ...env });
  const reset = ['account', 'factor-reset', '--email', 'eve@example.com'];
  const failed = (message: string) => ({
    code: 1,
    stdout: '',
    stderr: `${message.replace('{email}', 'eve@example.com')}\n`,
  });
  const english = 'There is no user with the e-mail address {email}.';
  expect(await run({ LANG: 'de_DE.UTF-8' }, ...reset)).toEqual(failed(String(german[english])));
  expect(await run({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, ...reset)).toEqual(failed(english));
  const help = await run({ LANG: 'C', LC_MESSAGES: 'de_AT' }, 'verify', '--help');
  const summary = COMMANDS.find(({ name }) => name === 'verify')?.summary ?? '';
  expect(help.stdout).toContain(inHabits(habitsOfAddress('de-AT'), () => say(summary)));
  const create = ['account', 'create', '--email', 'ada@example.com', '--password', PASSWORD, '--plan', 'pro'];
  expect(await run({ LANG: 'de_DE.UTF-8' }, ...create)).toMatchObject({ code: 0, stderr: '' });
  expect(await run({ LANG: 'de_DE.UTF-8' }, 'list')).toEqual(await run({ LANG: 'C' }, 'list'));
});

describe.each(COMMANDS)('$name', ({ name, summary, options }) => {
  test('has a help in German', async () => {
    const { stdout } = await speaking('de-DE', '/proc/nowhere', ...name.split(' '), '--help');
    const said = inHabits(habitsOfAddress('de-DE'), () => say(summary));
    expect(stdout).toContain(said);
    expect(said).not.toBe(summary);
  });

  test('has its summary and options in the catalogue', () => {
    const described = Object.values(options.shape).map((type) =>
      String((type as { description?: string }).description),
    );
    expect([summary, ...described].filter((text) => !Object.hasOwn(german, text))).toEqual([]);
  });
});

describe('while a server runs', () => {
  let server: TestApp;
  let control: { close(): Promise<void> };
  let site: Site;
  const email = 'ada@example.com';

  beforeAll(async () => {
    server = await testApp({ now: NOW });
    control = await openControl({ app: server.app, dataDir: server.folder, log: openLog('silent') });
    const { directory } = server.app.services;
    await createAccount(directory, { email, password: PASSWORD }, NOW);
    site = await server.addSite('example.com', 'pro');
    await createShareLink(directory, { siteId: site.id, name: 'ACME' }, NOW);
  });
  afterAll(async () => {
    await control.close();
    await server[Symbol.asyncDispose]();
  });

  const ofSite = ['--site', 'example.com'];
  test.each([
    [['list']],
    [['status']],
    [['verify']],
    [['mail', 'log']],
    [['key', 'list', '--account', email]],
    [['access', 'example.com']],
    [['share', 'list', ...ofSite]],
    [['import', 'list', ...ofSite]],
    [['stats', ...ofSite, '--json']],
  ])('the JSON of %j is that of English', async (args) => {
    const result = async (tag?: string) => {
      const { code, stdout, stderr } = await speaking(tag, server.folder, ...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const english = await result();
    for (const tag of ['de-DE', 'ar-EG', 'ja-JP']) expect(await result(tag)).toEqual(english);
  });

  test('the numbers that it draws are written as the terminal’s region writes them', async () => {
    const { stdout } = await speaking('de-DE', server.folder, 'stats', ...ofSite, '--period', '7d');
    expect(stdout).toContain(String(german['Unique visitors']));
    expect(stdout).toContain('13. – 19. Nov. 2026');
  });

  test('what the server refuses is in the terminal’s language, too', async () => {
    const english = 'There is no such import.';
    const remove = (tag?: string) => speaking(tag, server.folder, 'import', 'remove', '--id', 'import_none');
    expect(await remove()).toEqual({ code: 1, stdout: '', stderr: `${english}\n` });
    expect(await remove('de-DE')).toEqual({ code: 1, stdout: '', stderr: `${String(german[english])}\n` });
  });
});
