// German as it is for this test: each letter of each message is an ø, so that what is left in English can be seen.
import { followReaders } from '../../../server/process/habits.ts';
import { type Forms, followMessages, type Messages } from '../../../server/vocabulary/habits/messages.ts';
import type { Language } from '../../../server/vocabulary/habits/languages.ts';

/** Places and tags stay. */
const foreign = (text: string): string =>
  text.replace(/\{\w+\}|<\/?\d+\/?>|\p{L}/gu, (part) => (part.length > 1 ? part : 'ø'));

function messageOf(key: string): string | Forms {
  const [one = '', other] = key.split(' | ');
  return other === undefined ? foreign(key) : { one: foreign(one), other: foreign(other) };
}

const FOREIGN = new Proxy<Messages>({}, { get: (_, key) => messageOf(String(key)) });

/** Until it is disposed of. */
export function speakForeign(language: Language = 'de'): Disposable {
  followReaders(); // another file of this process may have left its own
  followMessages((one) => (one === language ? FOREIGN : {}));
  return { [Symbol.dispose]: followReaders };
}

/** The words of a mail that are not among `known`, without its addresses. */
export function wordsLeft(text: string, known: string): string[] {
  const wordsOf = (written: string) => written.match(/[a-z]{2,}/gi) ?? [];
  const names = new Set(wordsOf(known));
  return wordsOf(text.replace(/https?:\/\/\S+/g, '')).filter((word) => !names.has(word));
}

/** What is read of HTML. */
export const readHtml = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/ alt="([^"]*)"/g, '>$1<')
    .replace(/<[^<>]*>/g, ' ');
