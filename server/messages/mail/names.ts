// Names that people chose, in mails to other people. A name must not break a header, turn the text around, or become a link.
import { isTurned } from '../../vocabulary/habits/habits.ts';

const MAX_SHOWN = 60;
/** Control characters, line separators, and marks that change the direction of text. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Mail programs turn `example.com` and `a@example.com` into links, but not if an invisible word joiner follows the sign. */
const WORD_JOINER = '\u2060';

/** What `t` puts around names in a language from right to left. */
const ISOLATES = /[\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\u2028\u2029]/gu;

/** Replaces control characters by spaces and shortens the text. */
export const oneLine = (text: string, maxLength: number): string => shortened(text, { unwanted: INVISIBLE, maxLength });

/** The same for a text of ours, whose names are shown already. In a language from right to left, what keeps their direction stays. */
export const headline = (text: string, maxLength: number): string =>
  shortened(text, { unwanted: isTurned() ? BREAKS : INVISIBLE, maxLength });

function shortened(text: string, { unwanted, maxLength }: { unwanted: RegExp; maxLength: number }): string {
  const line = text.toWellFormed().replace(unwanted, ' ').replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= maxLength ? line : `${letters.slice(0, maxLength - 1).join('')}…`;
}

const MAX_SENTENCE = 400;

/** For a sentence of ours that may contain names. */
export const shownSentence = (text: string): string => withoutLinks(headline(text, MAX_SENTENCE));

/** For the name of a person, an account or a site, and for an e-mail address, in the text of a mail. */
export function shownName(text: string): string {
  return withoutLinks(oneLine(isTurned() ? text.replace(ISOLATES, '') : text, MAX_SHOWN));
}

const withoutLinks = (line: string): string =>
  line.replaceAll('://', ' ').replace(/[.@](?=\S)/g, (sign) => `${sign}${WORD_JOINER}`);
