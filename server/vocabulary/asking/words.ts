// A question as words, each with its place in the text that was typed.
export const MAX_QUESTION = 200;

export type Word = {
  /** In lower case, without accents, and without the punctuation around it. */
  text: string;
  /** The same as it was typed: paths and names have upper case. */
  name: string;
  /** Its place in the question, half-open. */
  from: number;
  to: number;
  /** Between quotation marks: a name, never a word of the grammar. */
  isQuoted: boolean;
  /** The word that was meant, if a letter was wrong. */
  isGuess?: true;
};

/** Invisible characters separate words, as spaces do. */
const WORD = /["“”„][^"“”„]{1,200}["“”„]|[^\s\p{C}"“”„]+/gu;
const BEFORE = /^[([{'‘¿¡,;]+/u;
const AFTER = new Set(")]}'’,.;:!?…");

/** A word without the punctuation around it: "Germany’s?" is Germany. */
function bare(typed: string): string {
  const begun = typed.replace(BEFORE, '');
  let end = begun.length;
  while (end > 0 && AFTER.has(begun[end - 1] ?? '')) end--;
  const text = begun.slice(0, end);
  return /['’]s$/.test(text) ? text.slice(0, -2) : text;
}

/** A spelling in which words and names are compared. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[‘’]/g, "'")
    .toLowerCase();

/** Names are found with and without their spaces and hyphens: sign up, sign-up and signup are one. Paths stay as they are. */
export const squeezed = (text: string): string => (text.startsWith('/') ? text : text.replace(/[\s_\-–]+/g, ''));

export function wordsOf(question: string): Word[] {
  return [...question.slice(0, MAX_QUESTION).matchAll(WORD)].flatMap(({ 0: typed, index }) => {
    const isQuoted = /^["“”„]/.test(typed);
    const name = isQuoted ? typed.slice(1, -1).trim() : bare(typed);
    const text = plain(name);
    if (text === '') return [];
    const from = isQuoted ? index : index + typed.indexOf(name);
    return [{ text, name, from, to: from + (isQuoted ? typed : name).length, isQuoted }];
  });
}

/** True if one letter more, less, wrong, or two swapped make one word of the other. Takes as many steps as the words have letters. */
export function isTypo(one: string, other: string): boolean {
  if (one.length > other.length) return isTypo(other, one);
  if (other.length - one.length > 1 || one === other) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const rest = (text: string, from: number) => text.slice(from);
  if (one.length < other.length) return rest(one, at) === rest(other, at + 1);
  return (
    rest(one, at + 1) === rest(other, at + 1) ||
    (one[at] === other[at + 1] && one[at + 1] === other[at] && rest(one, at + 2) === rest(other, at + 2))
  );
}
