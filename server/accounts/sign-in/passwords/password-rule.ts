// Refuses passwords that guessers try first. The list of common passwords is local: no part of a password leaves the server.
import { Refusal } from '../../../errors.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128; // limits the work for huge inputs; scrypt's own cost does not grow with the length
/** Refuses `aaaaaaaa`, `12121212` and spaces. */
const MIN_DIFFERENT = 4;
const PRODUCT = 'footfall';

/** Throws bad_request for a weak password. Runs wherever a password is set: first start, sign-up, change and `manage`. */
export async function checkPassword(password: string, email: string): Promise<void> {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw new Refusal(
      'bad_request',
      t('The password must have {MIN_PASSWORD_LENGTH} to {MAX_PASSWORD_LENGTH} characters.', {
        MIN_PASSWORD_LENGTH,
        MAX_PASSWORD_LENGTH,
      }),
    );
  const plain = password.normalize('NFKC').trim().toLowerCase();
  if (new Set(plain).size < MIN_DIFFERENT)
    throw new Refusal(
      'bad_request',
      t('The password must have at least {MIN_DIFFERENT} different characters.', { MIN_DIFFERENT }),
    );
  const word = withoutEnds(plain);
  const named = [email, withoutEnds(email.split('@', 1)[0] ?? '')];
  if (named.includes(plain) || (word !== '' && named.includes(word)))
    throw new Refusal('bad_request', t('The password must differ from the e-mail address.'));
  const common = await commonPasswords();
  const backwards = [...plain].reverse().join('');
  if (word === PRODUCT || isRepeated(plain) || [plain, word, backwards].some((text) => common.has(text)))
    throw new Refusal('bad_request', t('This password is easy to guess: choose another, such as a few words.'));
}

/** Removes the digits and punctuation that people put around a word. */
function withoutEnds(text: string): string {
  const letters = [...text];
  const isLetter = (letter: string) => /\p{L}/u.test(letter);
  return letters.slice(letters.findIndex(isLetter), letters.findLastIndex(isLetter) + 1).join('');
}

/** True for a short part that repeats, such as `12341234`. */
function isRepeated(text: string): boolean {
  const period = (text + text).indexOf(text, 1);
  return period < Math.min(text.length, MIN_PASSWORD_LENGTH);
}

let common: Promise<Set<string>> | undefined;

/** Returns the 18,000 common passwords of at least the minimum length, in lower case. Loaded on first use: 100 ms and 2 MB. */
function commonPasswords(): Promise<Set<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const all = dictionary['passwords-common'];
    return new Set(all.filter((password) => password.length >= MIN_PASSWORD_LENGTH));
  });
  return common;
}
