// Everything that is written for people passes through here, in the language of whoever reads it. The English text in the code is the message;
// `languages/` has the other languages. In the dashboard, the build puts a number in the place of each text: see languages/compiler.
import { numberFormat } from './formatters.ts';
import { currentHabits, isTurned } from './habits.ts';
import { type Language, RIGHT_TO_LEFT } from './languages.ts';

/** `'visitors' | 'goal'` of `'{visitors} reached {goal}'`. */
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** What a message takes beside its text: nothing, or a value for each name in braces. */
type Values<Text extends string> = [Names<Text>] extends [never]
  ? []
  : [values: Readonly<Record<Names<Text>, string | number>>];
/** The same where `{n}` is the count itself, written with all digits. */
type CountValues<Text extends string> = [Exclude<Names<Text>, 'n'>] extends [never]
  ? []
  : [values: Readonly<Record<Exclude<Names<Text>, 'n'>, string | number>>];

/** The forms of a message by the category of its count (`Intl.PluralRules`). */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;
/** The messages of a language: by their English text, or by number in the dashboard's build. */
export type Messages = Readonly<Record<string, string | Forms>>;

const NONE: Messages = {};
let messages = (_language: Language): Messages => NONE;
/** Says once, at the start, where the messages of a language are. */
export function followMessages(of: (language: Language) => Messages): void {
  messages = of;
}
const current = (): Messages => messages(currentHabits().language);

/** Says a message in the reader's language: `t('{part} of {all}', { part, all })`. The text is a literal: the build reads it. */
export function t<const Text extends string>(
  text: string extends Text ? never : Text,
  ...[values]: Values<Text>
): string {
  return say(text, values);
}

/** For what the build writes, and for tables: elsewhere `t` does the same. */
export function say(text: string, values?: Readonly<Record<string, string | number>>): string {
  return fill(found(text), values);
}

/** A message in the reader's language, and in English where that has none. */
function found(text: string): string {
  const own = current()[text];
  return typeof own === 'string' ? own : withoutContext(text);
}

/**
 * A word that other languages say in two ways is two messages, told apart by what follows two at-signs: `Share@@of the whole`. It is not shown.
 */
export const withoutContext = (text: string): string => String(text).split('@@', 1)[0] ?? '';

/** Marks a text that `say` says later: a constant is made once, and read in many languages. */
export const message = (text: string): string => text;

/**
 * A table whose texts are in the language of whoever reads them: each is a message, at any depth. A table is made once and read in many languages, so
 * its texts are looked up where they are read.
 */
export function texts<const Table extends object>(table: Table): Table {
  return sayLater(table, () => true);
}

/** The same for the texts under these names alone: `textsOf(['label'], ROWS)`. */
export function textsOf<const Table extends object>(names: readonly string[], table: Table): Table {
  return sayLater(table, (name) => names.includes(name));
}

function sayLater<Table extends object>(table: Table, isText: (name: string) => boolean): Table {
  for (const [name, value] of Object.entries(table)) {
    if (typeof value === 'object' && value !== null)
      sayLater(value, Array.isArray(value) && isText(name) ? () => true : isText);
    else if (isText(name) && /^(string|number)$/.test(typeof value))
      Object.defineProperty(table, name, { get: () => say(value as string), enumerable: true });
  }
  return table;
}

/** The same by a count: `tn(visits, '{n} visit', '{n} visits')`. Other languages have more forms, or one. */
export function tn<const One extends string, const Other extends string>(
  count: number,
  one: One,
  other: Other,
  ...[values]: CountValues<One | Other>
): string {
  const { language } = currentHabits();
  const found = current()[other === '' ? one : keyOfForms(one, other)];
  const forms = typeof found === 'object' ? found : { one, other };
  return fill(forms[categoryOf(language, count)] ?? forms.other ?? '', { n: writeCount(count), ...values });
}

/** Under which a catalogue has the forms of a message. */
export const keyOfForms = (one: string, other: string): string => `${one} | ${other}`;

const rules = new Map<Language, Intl.PluralRules>();
export function categoryOf(language: Language, count: number): Intl.LDMLPluralRule {
  const known = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, known);
  return known.select(count);
}

/** A piece of a message with elements: text, or the number of an element and what is inside it. */
export type Part = string | { tag: number; inner: string | readonly Part[] };

/** The parts of `Of {0}, <0>see why</0>`, before values are put in: what people send is never an element. */
export function partsOf(text: string, values: Readonly<Record<string, string | number>>): Part[] {
  const pieces = found(text).split(/(<\/?\d+\/?>)/);
  const read = (): Part[] => {
    const parts: Part[] = [];
    for (let piece = pieces.shift(); piece !== undefined && !piece.startsWith('</'); piece = pieces.shift()) {
      const tag = /^<(\d+)(\/?)>$/.exec(piece);
      if (tag) parts.push({ tag: Number(tag[1]), inner: tag[2] ? '' : flat(read()) });
      else if (piece) parts.push(fill(piece, values));
    }
    return parts;
  };
  return read();
}

const flat = (parts: Part[]): string | Part[] =>
  parts.every((part) => typeof part === 'string') ? parts.join('') : parts;

const writeCount = numberFormat({ maximumFractionDigits: 0 });

const PLACE = /\{(\w+)\}/g;
const LETTER = /\p{L}/u;

/**
 * A value keeps its own direction, which is that of its first letter: the name of a browser must not turn an Arabic sentence around. Unicode's own
 * search for that letter (FSI) leaves out what is isolated, such as the values inside the value.
 */
function fill(text: string, values: Readonly<Record<string, string | number>> | undefined): string {
  if (!values) return text;
  const isIsolated = isTurned();
  return text.replaceAll(PLACE, (place, name: string) => {
    const value = name in values ? String(values[name] ?? '') : place;
    const letter = isIsolated && LETTER.exec(value)?.[0];
    return letter ? `${RIGHT_TO_LEFT.test(letter) ? '\u2067' : '\u2066'}${value}\u2069` : value;
  });
}

/** German writes its nouns with a capital, wherever they stand. */
const KEEPS_CAPITALS: readonly Language[] = ['de'];

/** A name inside a sentence: `page views`, of `Page views`. Acronyms stay. */
export function midSentence(name: string): string {
  const isAcronym = /^\p{Lu}{2}/u.test(name);
  return isAcronym || KEEPS_CAPITALS.includes(currentHabits().language)
    ? name
    : name.slice(0, 1).toLowerCase() + name.slice(1);
}
