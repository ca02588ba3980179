// Each mail speaks the language that its recipient has chosen, in its direction.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { readConfig } from '../../server/config.ts';
import { habitsOfRecipient, keepHabits } from '../../server/directory/habits.ts';
import type { Block } from '../../server/messages/mail/content.ts';
import { kindOf, MAIL_KINDS } from '../../server/messages/mail/kinds.ts';
import { layOut } from '../../server/messages/mail/layout.ts';
import { openMail } from '../../server/messages/mail/mail.ts';
import { inHabits } from '../../server/process/habits.ts';
import { openLog } from '../../server/process/log.ts';
import { habitsOf, NOTHING_CHOSEN } from '../../server/vocabulary/habits/habits.ts';
import { PASSWORD } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { testDirectory } from '../setup/directory.ts';
import { readHtml, speakForeign, wordsLeft } from '../setup/notifications/foreign.ts';
import { startSmtp } from '../setup/internet/smtp.ts';

const ORIGIN = 'https://stats.example';
const GERMAN = habitsOf('de-DE', { language: 'de' });
const ARABIC = habitsOf('ar-EG', { language: 'ar' });
const FRAME = { origin: ORIGIN, unsubscribe: `${ORIGIN}/unsubscribe/1` };

test('mails that are sent at once are each in the language of their recipient, and English for others', async () => {
  using _ = speakForeign();
  await using directory = await testDirectory('sqlite');
  await using smtp = await startSmtp();
  const { db } = directory;
  const config = readConfig({ BASE_URL: ORIGIN, SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' });
  const mail = await openMail({ directory, config, now: () => NOON, log: openLog('silent') });
  const people = { ada: 'de', bob: 'en', eve: null, zoe: 'de' } as const;
  for (const [name, language] of Object.entries(people)) {
    const { user } = await createAccount(directory, { email: `${name}@example.com`, password: PASSWORD }, NOON);
    await keepHabits(db, { userId: user.id }, { ...NOTHING_CHOSEN, language });
  }
  const data = { account: 'Sons', days: 3 };
  for (const name of [...Object.keys(people), 'stranger'])
    await mail.send(db, { kind: 'trial_ends', key: name, to: `${name}@example.com`, data });
  await mail.deliver();
  await mail.sendTest('ada@example.com');
  const said = smtp.mails.map(({ to, text, html }) => ({
    to: to[0]?.split('@')[0],
    language: /<html lang="(.*?)">/.exec(html)?.[1],
    says: text.split('\n', 1)[0],
  }));
  const german = { language: 'de', says: 'øøø øøøøø øø “Sons” øøøø øø 3 øøøø.' };
  const english = { language: 'en', says: 'The trial of “Sons” ends in 3 days.' };
  expect(said.slice(0, 5).toSorted((one, other) => ((one.to ?? '') < (other.to ?? '') ? -1 : 1))).toEqual([
    { to: 'ada', ...german },
    { to: 'bob', ...english },
    { to: 'eve', ...english },
    { to: 'stranger', ...english },
    { to: 'zoe', ...german },
  ]);
  expect(said[5]).toMatchObject({ to: 'ada', language: 'de' });
  mail.close();
});

test('numbers are those of the language, unless the recipient has chosen others', async () => {
  await using directory = await testDirectory('sqlite');
  const { db } = directory;
  const { user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
  const localeOf = async (chosen: object) => {
    await keepHabits(db, { userId: user.id }, { ...NOTHING_CHOSEN, ...chosen });
    return (await habitsOfRecipient(db, 'ada@example.com')).locale;
  };
  expect(await localeOf({ language: 'pt' })).toBe('pt-BR');
  expect(await localeOf({ language: 'pt', locale: 'de-CH' })).toBe('de-CH');
  expect(await localeOf({ language: 'en' })).toBe('en-GB');
  expect(await localeOf({})).toBe('en-GB');
});

describe.each(Object.keys(MAIL_KINDS))('the mail %s', (name) => {
  test('has no word that is not translated', () => {
    using _ = speakForeign();
    const kind = kindOf(name);
    if (!kind) throw new Error(`no kind ${name}`);
    const { subject, text, html } = inHabits(GERMAN, () => layOut(kind.write(kind.sample), FRAME));
    const known = `${JSON.stringify(kind.sample)} Footfall stats.example Nov`;
    for (const written of [subject, text, readHtml(html)]) {
      expect(wordsLeft(written, known)).toEqual([]);
      expect(written).toContain('ø');
    }
    expect(html).toMatch(/<html lang="de">.*<body[^>]*>\s*<table role="presentation" lang="de" /s);
  });
});

describe('a mail in Arabic', () => {
  const blocks: Block[] = [
    { kind: 'picture', png: '', alt: 'chart', ends: ['16', '22'] },
    { kind: 'table', title: 'Pages', rows: [{ name: '/a', value: '12', change: { text: '+3', verdict: 'good' } }] },
  ];
  const write = () =>
    layOut({ subject: 'From “\u2068Sons\u2069”', paragraphs: [], blocks, button: { label: 'Open', path: '/' } }, FRAME);

  test('is laid out from right to left: numbers end lines on the left, and time runs to the right', () => {
    const { html, subject } = inHabits(ARABIC, write);
    expect(html).toMatch(/<html lang="ar" dir="rtl">.*<body[^>]*>\s*<table role="presentation" lang="ar" dir="rtl" /s);
    expect(html.match(/<td class="line [^>]*?align="\w+"/g)?.map((cell) => cell.slice(cell.indexOf('dir=')))).toEqual([
      'dir="auto" align="right"',
      'dir="auto" align="left"',
      'dir="auto" align="left"',
    ]);
    expect(html).toMatch(
      /<table [^>]*dir="ltr"><tr><td class="soft" dir="auto" align="left"[^>]*>16<\/td><td class="soft" dir="auto" align="right"[^>]*>22</,
    );
    expect(html).toContain(`<a href="${ORIGIN}/" dir="ltr"`);
    expect(subject).toBe('From “\u2068Sons\u2069”'); // the name keeps its direction
  });

  test('an English one says nothing of its direction', () => {
    const { html } = write();
    expect(html).not.toMatch(/dir=|align="left"/);
    expect(html.match(/ lang="\w+"/g)).toEqual([' lang="en"']);
  });
});
