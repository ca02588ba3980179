// Mail over a real mail server: what is queued, sent, retried and given up, and what the mails contain.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { type Subscription, TOPICS } from '../../server/messages/mail/content.ts';
import { MAIL_KINDS, type MailKind, kindOf } from '../../server/messages/mail/kinds.ts';
import { layOut } from '../../server/messages/mail/layout.ts';
import { openMail } from '../../server/messages/mail/mail.ts';
import { forgetMails, listMails } from '../../server/messages/mail/queue.ts';
import { openLog } from '../../server/process/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { elsewhere, FORMS, type TestDirectory, testDirectory } from '../setup/directory.ts';
import { startSilentSmtp, startSmtp } from '../setup/internet/smtp.ts';
import { certificate } from '../setup/internet/tls.ts';

const FROM = 'Footfall <footfall@stats.example>';
const BASE = { BASE_URL: 'https://stats.example', MAIL_FROM: FROM };
const quiet = openLog('silent');
const TRIAL = { kind: 'trial_ends', to: 'ada@example.com', data: { account: 'Ada', days: 3 } } as const;

async function mailIn(
  directory: TestDirectory,
  url: string,
  options: { clock?: { now: number }; attemptMs?: number } = {},
) {
  const { clock = { now: NOON }, attemptMs } = options;
  const config = readConfig({ ...BASE, SMTP_URL: url });
  const patience = attemptMs === undefined ? {} : { attemptMs };
  const mail = await openMail({ directory, config, now: () => clock.now, log: quiet, ...patience });
  const states = async () =>
    (await listMails(directory, 100)).map(({ state, attempts, answer }) => ({ state, attempts, answer }));
  return { ...mail, clock, states };
}

describe.each(FORMS)('the queue of mails in %s', (form) => {
  test('sends each mail once, in text and HTML, and keeps no content afterwards', async () => {
    await using directory = await testDirectory(form);
    await using smtp = await startSmtp();
    const mail = await mailIn(directory, smtp.url);
    expect(await mail.send(directory.db, { ...TRIAL, key: 'one' })).toBe(true);
    expect(await mail.send(directory.db, { ...TRIAL, key: 'one' })).toBe(false);
    await mail.deliver();
    await mail.deliver();
    expect(smtp.mails).toHaveLength(1);
    const [got] = smtp.mails;
    expect(got).toMatchObject({ from: 'footfall@stats.example', to: ['ada@example.com'] });
    expect(got?.headers.get('from')).toBe(FROM);
    expect(got?.headers.get('subject')).toBe('Your trial of Footfall ends in 3 days');
    expect(got?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(got?.text).toContain('Choose a plan:\nhttps://stats.example/settings/plan\n');
    expect(got?.html).toContain('href="https://stats.example/settings/plan"');
    const [row] = await directory.db.selectFrom('mails').selectAll().execute();
    expect(row).toMatchObject({ state: 'sent', attempts: 1, data: null, ended_at: NOON });
    expect(row?.answer).toMatch(/^250 /);
  });

  test('queues nothing if the transaction fails', async () => {
    await using directory = await testDirectory(form);
    await using smtp = await startSmtp();
    const mail = await mailIn(directory, smtp.url);
    const failing = directory.db.transaction().execute(async (db) => {
      await mail.send(db, { ...TRIAL, key: 'one' });
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await mail.states()).toEqual([]);
  });

  test('gives up what the server refuses for good, and tries what it refuses for now again after growing pauses', async () => {
    await using directory = await testDirectory(form);
    let greylists = true;
    const codes: Record<string, () => number | undefined> = {
      'wrong@example.com': () => 550,
      'grey@example.com': () => (greylists ? 451 : undefined),
    };
    await using smtp = await startSmtp({ refuse: (to) => codes[to]?.() });
    const mail = await mailIn(directory, smtp.url);
    for (const to of ['wrong@example.com', 'grey@example.com', 'ada@example.com'])
      await mail.send(directory.db, { ...TRIAL, to, key: to });
    await mail.deliver();
    const of = async (to: string) => (await listMails(directory, 9)).find(({ recipient }) => recipient === to);
    expect(await of('wrong@example.com')).toMatchObject({
      state: 'failed',
      attempts: 1,
      answer: '550 not now or never',
    });
    expect(await of('ada@example.com')).toMatchObject({ state: 'sent' });
    for (const [index, minutes] of [1, 5, 10, 30, 60].entries()) {
      const pause = minutes * MINUTE_MS;
      expect(await of('grey@example.com')).toMatchObject({
        state: 'waiting',
        attempts: index + 1,
        due_at: mail.clock.now + pause,
      });
      mail.clock.now += pause - 1;
      await mail.deliver();
      expect(await of('grey@example.com')).toMatchObject({ attempts: index + 1 });
      mail.clock.now += 1;
      await mail.deliver();
    }
    greylists = false;
    mail.clock.now += 120 * MINUTE_MS;
    await mail.deliver();
    expect(await of('grey@example.com')).toMatchObject({ state: 'sent', attempts: 7 });
    expect(smtp.mails.map(({ to }) => to[0])).toEqual(['ada@example.com', 'grey@example.com']);
  });

  test('gives a mail up once it is of no more use', async () => {
    await using directory = await testDirectory(form);
    await using smtp = await startSmtp({ refuse: () => 451 });
    const mail = await mailIn(directory, smtp.url);
    await mail.send(directory.db, { ...TRIAL, key: 'refused' });
    for (let hours = 0; hours < 24; hours += 1) {
      await mail.deliver();
      mail.clock.now += HOUR_MS;
    }
    expect(await mail.states()).toMatchObject([{ state: 'failed', answer: '451 not now or never' }]);
    await mail.send(directory.db, { ...TRIAL, key: 'late' });
    mail.clock.now += MAIL_KINDS.trial_ends.usefulForMs;
    await mail.deliver();
    const [late] = await mail.states();
    expect(late).toEqual({ state: 'failed', attempts: 1, answer: 'It was too late to send this mail.' });
    const contents = await directory.db.selectFrom('mails').select('data').execute();
    expect(contents).toEqual([{ data: null }, { data: null }]);
  });

  test('survives a clock that jumps a week, ahead and back: each mail is sent once, and none waits for the week', async () => {
    await using directory = await testDirectory(form);
    let isAway = true;
    await using smtp = await startSmtp({ refuse: () => (isAway ? 451 : undefined) });
    const { clock, ...mail } = await mailIn(directory, smtp.url);
    clock.now += 7 * DAY_MS;
    for (const key of ['one', 'two']) await mail.send(directory.db, { ...TRIAL, key });
    await mail.deliver();
    await mail.send(directory.db, { ...TRIAL, key: 'three' });
    clock.now = NOON;
    isAway = false;
    for (let turn = 0; turn < 2; turn += 1) await mail.deliver();
    expect((await mail.states()).map(({ state, attempts }) => [state, attempts])).toEqual(
      expect.arrayContaining([
        ['sent', 1],
        ['sent', 2],
        ['sent', 2],
      ]),
    );
    expect(smtp.mails).toHaveLength(3);
    // What waits for its next attempt waits as long as before.
    isAway = true;
    await mail.send(directory.db, { ...TRIAL, key: 'four' });
    for (let turn = 0; turn < 3; turn += 1) await mail.deliver();
    expect((await mail.states()).filter(({ state }) => state === 'waiting')).toMatchObject([{ attempts: 1 }]);
  });

  test('is shared by processes without sending a mail twice', async () => {
    await using directory = await testDirectory(form);
    await using smtp = await startSmtp();
    const mail = await mailIn(directory, smtp.url);
    const keys = Array.from({ length: 20 }, (_, index) => `mail ${index}`);
    for (const key of keys) await mail.send(directory.db, { ...TRIAL, to: `${key.replace(' ', '')}@example.com`, key });
    const other = elsewhere(
      directory.place,
      `const { openDirectory } = await import(server + 'directory/open.ts');
      const { openMail } = await import(server + 'messages/mail/mail.ts');
      const { readConfig } = await import(server + 'config.ts');
      const directory = await openDirectory(place);
      const config = readConfig({ ...${JSON.stringify(BASE)}, SMTP_URL: '${smtp.url}' });
      const mail = await openMail({ directory, config, now: () => ${NOON}, log: console });
      await mail.deliver();
      await directory.close();`,
    );
    await Promise.all([other, mail.deliver(), mail.deliver()]);
    const ids = smtp.mails.map(({ to }) => to[0]);
    expect(new Set(ids).size).toBe(20);
    expect(ids).toHaveLength(20);
  });

  test('loses no mail that a kill interrupted: it is due again once the claim has run out', async () => {
    await using directory = await testDirectory(form);
    await using silent = await startSilentSmtp();
    const clock = { now: NOON };
    const killed = await mailIn(directory, silent.url, { clock });
    await killed.send(directory.db, { ...TRIAL, key: 'one' });
    const interrupted = killed.deliver();
    await silent.connected; // claimed, and not yet sent
    await using smtp = await startSmtp();
    const next = await mailIn(directory, smtp.url, { clock });
    await next.deliver();
    expect(smtp.mails).toEqual([]);
    clock.now += 3 * MINUTE_MS;
    await next.deliver();
    expect(smtp.mails).toHaveLength(1);
    killed.close();
    await interrupted; // what the first process finds out late changes nothing
    expect(await next.states()).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });
});

describe('a mail server', () => {
  test('that hangs holds a mail up for one attempt, and the stop of the server not at all', async () => {
    await using directory = await testDirectory('sqlite');
    await using silent = await startSilentSmtp();
    const mail = await mailIn(directory, silent.url, { attemptMs: 50 });
    await mail.send(directory.db, { ...TRIAL, key: 'one' });
    await mail.deliver();
    expect(await mail.states()).toMatchObject([{ state: 'waiting', attempts: 1 }]);

    await using second = await testDirectory('sqlite');
    const stopped = await mailIn(second, silent.url);
    await stopped.send(second.db, { ...TRIAL, key: 'one' });
    const delivering = stopped.deliver();
    stopped.close();
    await delivering;
    expect(await stopped.states()).toMatchObject([{ state: 'waiting' }]);
  });

  test('that is away is asked once a turn, not once a mail', async () => {
    await using directory = await testDirectory('sqlite');
    const mail = await mailIn(directory, 'smtp://127.0.0.1:1');
    for (let n = 0; n < 30; n += 1) await mail.send(directory.db, { ...TRIAL, key: `mail ${n}` });
    await mail.deliver();
    const tried = (await mail.states()).filter(({ attempts }) => attempts > 0);
    expect(tried.length).toBeLessThanOrEqual(4); // those that were under way at the same time
    expect(tried.every(({ state }) => state === 'waiting')).toBe(true);
  });

  test('is spoken to over TLS, from the start or after STARTTLS, and its certificate is checked', async () => {
    await using directory = await testDirectory('sqlite');
    const { files } = await certificate(directory.place.folder);
    const { readFile } = await import('node:fs/promises');
    const [cert, key] = await Promise.all([readFile(files.TLS_CERT), readFile(files.TLS_KEY)]);
    await using direct = await startSmtp({ options: { secure: true, cert, key } });
    await using upgraded = await startSmtp({ options: { disabledCommands: [], cert, key } });
    const ways = { direct: `smtps://127.0.0.1:${direct.port}`, upgraded: upgraded.url };
    for (const [way, url] of Object.entries(ways)) {
      const untrusting = await mailIn(directory, url);
      await expect(untrusting.sendTest('ada@example.com'), way).rejects.toThrow(/certificate/);
      const trusting = await mailIn(directory, `${url}?tls.rejectUnauthorized=false`);
      expect(await trusting.sendTest('ada@example.com'), way).toMatch(/^250 /);
    }
    expect([direct.mails.length, upgraded.mails.length]).toEqual([1, 1]);
    await using plain = await startSmtp();
    const required = await mailIn(directory, `${plain.url}?requireTLS=true`);
    await expect(required.sendTest('ada@example.com')).rejects.toThrow(/did not take the mail/);
    expect(plain.mails).toEqual([]);
  });
});

/** Text that people could choose as a name. */
const HOSTILE = [
  'Eve\r\nBcc: everybody@example.com\r\n\r\n<p>Pay here',
  '"><img src=x onerror=alert(1)><a href="https://evil.example/">',
  'Your account is locked: http://evil.example/login or www.evil.example',
  '\u202emoc.elpmaxe\u2066\0\u0085\u2028',
  'x'.repeat(10_000),
  '\ud800 lone & <b>',
];

describe.each(Object.keys(MAIL_KINDS) as MailKind[])('the mail %s', (name) => {
  const kind = kindOf(name);
  if (!kind) throw new Error(`no kind ${name}`);
  const origin = 'https://stats.example';

  test('has text and HTML with the same words and links, and loads nothing', () => {
    const { subject, text, html } = layOut(kind.write(kind.sample), { origin });
    const { paragraphs, button } = kind.write(kind.sample);
    expect(subject).not.toBe('');
    for (const paragraph of paragraphs) expect(text).toContain(paragraph);
    if (button)
      for (const part of [text, html])
        expect(part).toContain(`${origin}${button.path}`.replaceAll('&', part === html ? '&#38;' : '&'));
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).not.toMatch(/<img|<link|<script|url\(|@import|@font-face/);
    expect(
      [...html.matchAll(/(?:href|src)="([^"]+)"/g)].filter(([, link = '']) => !link.startsWith(`${origin}/`)),
    ).toEqual([]);
  });

  test('can be unsubscribed from exactly if it is about a topic', () => {
    expect(kind.about === 'account' || kind.about in TOPICS).toBe(true);
    expect(kind.usefulForMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(kind.usefulForMs).toBeLessThanOrEqual(7 * DAY_MS);
  });

  test.each(HOSTILE)('stays whole with the name %j', async (hostile) => {
    const sample = Object.fromEntries(
      Object.entries(kind.sample as object).map(([field, value]) => [
        field,
        typeof value === 'string' ? hostile : (value as unknown),
      ]),
    );
    const { subject, text, html } = layOut(kind.write(sample), { origin });
    expect(subject).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e\u2066-\u2069]/u);
    expect(subject.length).toBeLessThanOrEqual(150);
    expect(html).not.toMatch(/<img|<p>Pay|<b>|onerror=alert\(1\)>/);
    for (const letter of [text, html]) {
      // Our own links may hold the text, percent-encoded.
      const part = letter.replace(/https:\/\/stats\.example\/[^\s"<]*/g, '');
      expect(part).not.toMatch(/evil\.example|http:\/\//); // no name becomes a link
      expect([...part.matchAll(/https?:\/\/[^/\s"<]+/g)].filter(([link]) => link !== origin)).toEqual([]);
    }
  });
});

test('a hostile subject and a hostile address add no header and no recipient', async () => {
  await using directory = await testDirectory('sqlite');
  await using smtp = await startSmtp();
  const mail = await mailIn(directory, smtp.url);
  for (const [index, account] of HOSTILE.entries())
    await mail.send(directory.db, { ...TRIAL, data: { account, days: 3 }, key: `name ${index}` });
  await mail.send(directory.db, { ...TRIAL, to: 'eve@example.com, bob@example.com\r\nBcc: x@example.com', key: 'to' });
  await mail.deliver();
  const rcpts = smtp.mails.map(({ to }) => to).filter((to) => to.join() !== 'ada@example.com');
  for (const to of rcpts) expect(to).toHaveLength(1);
  for (const { headers, raw } of smtp.mails) {
    expect(headers.has('bcc')).toBe(false);
    expect(raw).not.toMatch(/^Bcc:/im);
  }
});

describe('unsubscribing', () => {
  const RFC_8058 = 'List-Unsubscribe=One-Click';
  const linkIn = (headers: Map<string, string> | undefined) =>
    /^<(.+)>$/.exec(headers?.get('list-unsubscribe') ?? '')?.[1] ?? '';

  test('takes one click without login, stops mails about the topic only, and cannot be forged', async () => {
    await using smtp = await startSmtp();
    await using server = await testApp({ env: { SMTP_URL: smtp.url, MAIL_FROM: FROM } });
    const { mail, directory } = server.app.services;
    await mail.send(directory.db, { ...TRIAL, key: 'one' });
    await mail.send(directory.db, { kind: 'test', key: 'two', to: TRIAL.to, data: {} });
    await server.app.runJob('send-mail');
    const trial = smtp.mails.find(({ headers }) => headers.get('subject')?.includes('trial'));
    const needed = smtp.mails.find((one) => one !== trial);
    expect(needed?.headers.has('list-unsubscribe')).toBe(false);
    expect(trial?.headers.get('list-unsubscribe-post')).toBe(RFC_8058);
    const link = linkIn(trial?.headers);
    expect(trial?.text).toContain(`Unsubscribe: ${link}`);
    expect(link).not.toContain('ada');
    const { pathname } = new URL(link);
    const click = (path: string) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: RFC_8058,
      });

    await fetch(`${server.url}${pathname}`); // a mail scanner opens links
    expect(await mail.send(directory.db, { ...TRIAL, key: 'three' })).toBe(true);
    const forged = [
      pathname.replace('plan.', 'test.'),
      pathname.slice(0, -1),
      pathname.replace(/.{3}$/, '___'),
      '/unsubscribe/',
    ];
    for (const path of forged) expect((await click(path)).status, path).toBe(404);
    expect(await mail.send(directory.db, { ...TRIAL, key: 'four' })).toBe(true);

    for (const _ of [1, 2]) expect((await click(pathname)).status).toBe(200);
    expect(await mail.send(directory.db, { ...TRIAL, key: 'five' })).toBe(false);
    expect(await mail.send(directory.db, { ...TRIAL, to: 'bob@example.com', key: 'six' })).toBe(true);
    expect(await mail.send(directory.db, { kind: 'test', key: 'seven', to: TRIAL.to, data: {} })).toBe(true);
  });

  test('ends one list of a topic and leaves its other lists alone', async () => {
    await using server = await testApp();
    const { mail, directory } = server.app.services;
    const refused = (subscription: Subscription) => mail.hasRefused(directory.db, TRIAL.to, subscription);
    const path = mail.unsubscribePath(TRIAL.to, 'plan:list_1');
    const otherList = path.replace('list_1', 'list_2');
    for (const forged of [otherList, path.replace(':list_1', ''), path.replace('list_1', 'list-1')])
      expect((await fetch(`${server.url}${forged}`, { method: 'POST' })).status, forged).toBe(404);
    const done = await fetch(`${server.url}${path}`, { method: 'POST' });
    expect(await done.json()).toMatchObject({ data: { topic: 'plan' } });
    expect(await refused('plan:list_1')).toBe(true);
    expect(await refused('plan:list_2')).toBe(false);
    expect(await refused('plan')).toBe(false);
  });
});

test('without a mail server nothing is queued, and callers know it', async () => {
  await using server = await testApp();
  const { mail, directory } = server.app.services;
  expect(mail.isOn).toBe(false);
  expect(await mail.send(directory.db, { ...TRIAL, key: 'one' })).toBe(false);
  await server.app.runJob('send-mail');
  expect(await listMails(directory, 9)).toEqual([]);
  await expect(mail.sendTest('ada@example.com')).rejects.toThrow('set SMTP_URL');
});

test('the log of mails is forgotten after its time, and waiting mails are not', async () => {
  await using directory = await testDirectory('sqlite');
  await using smtp = await startSmtp({ refuse: (to) => (to === 'grey@example.com' ? 451 : undefined) });
  const mail = await mailIn(directory, smtp.url);
  await mail.send(directory.db, { ...TRIAL, key: 'one' });
  await mail.send(directory.db, { ...TRIAL, to: 'grey@example.com', key: 'two' });
  await mail.deliver();
  await forgetMails(directory, NOON);
  expect(await mail.states()).toHaveLength(2);
  await forgetMails(directory, NOON + 1);
  expect(await mail.states()).toMatchObject([{ state: 'waiting' }]);
});

test('only the development server shows previews', async () => {
  await using server = await testApp();
  const answer = await fetch(`${server.url}/mails/`);
  expect(await answer.text()).not.toContain('Mail from Footfall arrives');
  const { openMailPreviews } = await import('../../server/api/pages/mail-previews.ts');
  const show = openMailPreviews(readConfig({ NODE_ENV: 'development' }));
  const pages: string[] = [];
  const response = { writeHead: () => undefined, end: (text: string) => pages.push(text) };
  for (const path of ['/mails/', ...Object.keys(MAIL_KINDS).map((name) => `/mails/${name}.html`)])
    show({ method: 'GET' } as never, response as never, new URL(path, 'http://localhost'));
  for (const name of Object.keys(MAIL_KINDS)) expect(pages[0]).toContain(`/mails/${name}.html`);
  expect(pages).toHaveLength(1 + Object.keys(MAIL_KINDS).length);
});
