import { describe, expect, test } from 'vitest';
import { checkPassword } from './password-rule.ts';

const EMAIL = 'ada.lovelace@example.com';
const refusal = (password: string) =>
  checkPassword(password, EMAIL).then(
    () => 'allowed',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

const COMMON = 'This password is easy to guess: choose another, such as a few words.';
const DIFFERENT = 'The password must have at least 4 different characters.';
const EMAIL_ITSELF = 'The password must differ from the e-mail address.';
const LENGTH = 'The password must have 8 to 128 characters.';

describe('a weak password is refused', () => {
  test.each([
    'password',
    '12345678',
    'qwertyui',
    'iloveyou',
    'PASSWORD',
    'Password1',
    'passw0rd',
    'p@ssw0rd',
    'letmein1',
    'password!!',
    '  password  ',
    'Password2026!',
    '!password!',
    '1234567890',
    '87654321',
    '12341234',
    'lena7lena7',
    'ｐａｓｓｗｏｒｄ',
    'footfall',
    'Footfall1',
    '123Footfall!',
    'footfall2026',
  ])('%j is common', async (password) => expect(await refusal(password)).toBe(COMMON));

  test.each([' '.repeat(8), '\t'.repeat(20), 'aaaaaaaa', '12121212', '        a'])(
    '%j has too few different characters',
    async (password) => expect(await refusal(password)).toBe(DIFFERENT),
  );

  test.each([EMAIL, 'ADA.Lovelace@example.com', 'ada.lovelace', 'Ada.Lovelace1'])(
    '%j is the e-mail address',
    async (password) => expect(await refusal(password)).toBe(EMAIL_ITSELF),
  );

  test.each(['', 'a', 'seven77', 'x'.repeat(129)])('%j is too short or too long', async (password) =>
    expect(await refusal(password)).toBe(LENGTH),
  );
});

test.each([
  'correct horse',
  'battery staple',
  'a1!b2@c3#d4$',
  'пароль кота Мурзика',
  '我的密码是很长的句子吗',
  '7391846205',
  'lovelace ada and friends',
  'footfall of many people',
  'password of the old farm house',
])('%j is accepted', async (password) => expect(await refusal(password)).toBe('allowed'));
