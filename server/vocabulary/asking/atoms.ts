// Cuts a question into phrases: the longest that are known, one after the other.
import { type Span, periodAt } from './dates.ts';
import { type Lexicon, LONGEST } from './lexicon.ts';
import type { Entry } from './meanings.ts';
import type { Word } from './words.ts';

/** `entries`: what it can mean, surest first; empty for a word that nobody knows. `span`: a period. */
export type Atom = {
  words: readonly Word[];
  entries: readonly Entry[];
  span?: Span;
  /** A letter was wrong. */
  isGuess: boolean;
};

/** A page, or a host: they are understood even if the site's data do not have them. */
export const isPath = ({ text, isQuoted }: Word): boolean => text.startsWith('/') && !isQuoted;
export const isHost = ({ text }: Word): boolean => /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,20}$/.test(text);
export const isNumber = ({ text }: Word): boolean => /^\d{1,9}$/.test(text);

/** A word that nobody knows becomes the one that differs by a letter. */
const corrected = (word: Word, lexicon: Lexicon): Word => {
  if (word.isQuoted || isPath(word) || lexicon.knows(word.text)) return word;
  const meant = lexicon.correct(word.text);
  return meant === undefined ? word : { ...word, text: meant, isGuess: true };
};

const isOf = (entries: readonly Entry[], kind: string, joints?: readonly string[]): boolean =>
  entries.some(
    ({ meaning }) => meaning.kind === kind && (meaning.kind !== 'joint' || !joints || joints.includes(meaning.joint)),
  );
/** After these comes a part of a name, whatever it would mean elsewhere. */
const PART = ['contains', 'begins'];

export function atomsOf(typed: readonly Word[], { lexicon, today }: { lexicon: Lexicon; today: number }): Atom[] {
  const words = typed.map((word) => corrected(word, lexicon));
  const atoms: Atom[] = [];
  let isCompared = false;
  for (let at = 0; at < words.length;) {
    const text = typed[at];
    if (text && isOf(atoms.at(-1)?.entries ?? [], 'joint', PART)) {
      atoms.push({ words: [text], entries: [], isGuess: false });
      at += 1;
      continue;
    }
    const known = longestAt(words, at, lexicon);
    // "Compare A to B" has two periods; "compared to 1 to 15 October" has one.
    const isBetween = atoms.some(({ span }) => span);
    const isComparison =
      isOf(known.entries, 'comparison') && (isCompared || known.length > 1 || !periodAt(words, at, today));
    const period = isComparison ? undefined : periodAt(words, at, today, isCompared && !isBetween);
    // A name of the site is never mistaken for a day, nor the other way round: the longer one is meant.
    const isPeriod = period !== undefined && period.length >= known.length;
    const length = isPeriod ? period.length : known.length;
    const own = words.slice(at, at + length);
    const entries = isPeriod ? [] : known.entries;
    atoms.push({
      words: own,
      entries,
      ...(isPeriod && { span: period.span }),
      isGuess: own.some(({ isGuess }) => isGuess),
    });
    isCompared = isOf(entries, 'joint', ['compare']);
    at += length;
  }
  return atoms;
}

function longestAt(words: readonly Word[], at: number, lexicon: Lexicon): { entries: Entry[]; length: number } {
  if (words[at]?.isQuoted) return { entries: lexicon.find([words[at].text]), length: 1 };
  for (let length = Math.min(LONGEST, words.length - at); length >= 1; length--) {
    const own = words.slice(at, at + length);
    if (own.some(({ isQuoted }) => isQuoted)) continue;
    const entries = lexicon.find(own.map(({ text }) => text));
    if (entries.length > 0) return { entries, length };
  }
  return { entries: [], length: 1 };
}
