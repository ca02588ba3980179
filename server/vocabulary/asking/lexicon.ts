// All phrases that a question may consist of: those of our own vocabulary, and the names of a site.
import type { Dimension } from '../questions/dimensions.ts';
import { valueName } from '../questions/value-names.ts';
import { PERIOD_WORDS } from './dates.ts';
import { dimensionEntries } from './dimension-words.ts';
import { jointEntries } from './joint-words.ts';
import { type Entry, NO_NAMES, type SiteNames, SURENESS } from './meanings.ts';
import { metricEntries } from './metric-words.ts';
import { countryEntries, languageEntries } from './place-words.ts';
import { valueEntries } from './value-words.ts';
import { isTypo, plain, squeezed } from './words.ts';

type Phrases = Map<string, Entry[]>;
/** The single words of all phrases, by their length. */
type Spellings = Map<number, string[]>;

/** The most words of a phrase. */
export const LONGEST = 6;
/** Shorter words are never taken for others. */
const LEAST_LETTERS = 4;
/** How many entries a proposal has at most. */
const MOST_NEAREST = 3;

/** Between the words of a phrase. */
const BETWEEN = /[\s_\-–]+/;
const keyOf = (phrase: string): string => squeezed(plain(phrase));

function index(entries: readonly Entry[]): { phrases: Phrases; spellings: Spellings; words: Set<string> } {
  const phrases: Phrases = new Map();
  const words = new Set<string>();
  for (const entry of entries) {
    const key = keyOf(entry.phrase);
    if (key === '') continue;
    const same = phrases.get(key) ?? [];
    same.push(entry);
    phrases.set(key, same);
    words.add(key);
    for (const word of plain(entry.phrase).split(BETWEEN)) words.add(word);
  }
  const spellings: Spellings = new Map();
  for (const word of words) spellings.set(word.length, [...(spellings.get(word.length) ?? []), word]);
  return { phrases, spellings, words };
}

const OWN = [
  ...jointEntries,
  ...metricEntries,
  ...dimensionEntries(NO_NAMES),
  ...countryEntries,
  ...valueEntries,
  ...languageEntries,
];
/** No word becomes a small one by a letter: nobody would see that it was taken for another. */
const own = index([
  ...OWN.filter(({ meaning }) => meaning.kind !== 'joint'),
  ...PERIOD_WORDS.map((word): Entry => ({
    phrase: word,
    label: '',
    meaning: { kind: 'joint', joint: 'filler' },
    sureness: 'loose',
  })),
]);
const { phrases: ownPhrases, words: ownWords } = index(OWN);
const ALL_WORDS = new Set([...ownWords, ...own.words]);

/** In which dimension a name is looked for first. */
const ORDER: readonly Dimension[] = [
  'event',
  'source',
  'utm_campaign',
  'utm_source',
  'utm_medium',
  'city',
  'region',
  'browser',
  'os',
  'page',
  'hostname',
  'utm_content',
  'utm_term',
  'ai_agent',
  'ai_provider',
];

/** The plural of a name means it too: sign-ups are conversions of the goal Sign-up. */
const withPlural = (entry: Entry): Entry[] =>
  /^[\p{L}\s_-]{3,}[^s]$/u.test(entry.phrase) ? [entry, { ...entry, phrase: `${entry.phrase}s` }] : [entry];

function siteEntries({ goals, segments, values, properties }: SiteNames): Entry[] {
  const named = goals.map(({ id, name }): Entry => ({
    phrase: name,
    label: name,
    meaning: { kind: 'value', all: [{ dimension: 'goal', value: id }] },
    sureness: 'site',
  }));
  const saved = segments.flatMap(({ id, name }) =>
    [name, `${name} segment`, `segment ${name}`].map((phrase): Entry => ({
      phrase,
      label: name,
      meaning: { kind: 'segment', id },
      sureness: 'site',
    })),
  );
  const valued = ORDER.flatMap((dimension) =>
    (values[dimension] ?? []).filter(Boolean).map((name): Entry => ({
      phrase: name,
      label: valueName(dimension, name),
      meaning: { kind: 'value', all: [{ dimension, value: name }] },
      sureness: 'site',
    })),
  );
  // The pricing page: pages at the top are also named by their word.
  const pages = (values.page ?? []).flatMap((page): Entry[] =>
    /^\/[\p{L}\p{N}_-]{2,40}$/u.test(page)
      ? [
          {
            phrase: `${page.slice(1)} page`,
            label: page,
            meaning: { kind: 'value', all: [{ dimension: 'page', value: page }] },
            sureness: 'site',
          },
        ]
      : [],
  );
  const ofProperties = dimensionEntries({ properties }).filter(({ sureness }) => sureness === 'site');
  return [...named.flatMap(withPlural), ...saved, ...valued.flatMap(withPlural), ...pages, ...ofProperties];
}

export type Nearest = { text: string; label: string };

export type Lexicon = {
  /** What a phrase of some words means, surest first. Names of the site never replace our own words, only loose ones. */
  find(words: readonly string[]): Entry[];
  /** True for a word that stands in some phrase. */
  knows(word: string): boolean;
  /** The word that was meant, if one letter is wrong. */
  correct(word: string): string | undefined;
  /** What an unknown word may have meant. */
  nearest(word: string): Nearest[];
  names: SiteNames;
  /** How many comparisons were made, for a test of hostile questions. */
  steps: number;
};

export function openLexicon(names: SiteNames): Lexicon {
  const ofSite = index(siteEntries(names));
  const spelled = [own.spellings, ofSite.spellings];

  const lexicon: Lexicon = {
    names,
    steps: 0,
    find: (words) => {
      lexicon.steps += 1;
      const key = squeezed(words.join(' '));
      const all = [...(ownPhrases.get(key) ?? []), ...(ofSite.phrases.get(key) ?? [])].filter(
        ({ phrase }) => words.length === 1 || fits(words, phrase),
      );
      return all.toSorted((one, other) => SURENESS.indexOf(one.sureness) - SURENESS.indexOf(other.sureness));
    },
    knows: (word) => [word, squeezed(word)].some((one) => ALL_WORDS.has(one) || ofSite.words.has(one)),
    correct: (word) => {
      if (word.length < LEAST_LETTERS || !/^[\p{L}'’-]+$/u.test(word)) return undefined;
      for (const spellings of spelled) {
        const near = [0, 1, -1].flatMap((longer) => spellings.get(word.length + longer) ?? []);
        lexicon.steps += near.length;
        const meant = near.filter((other) => other.length >= LEAST_LETTERS - 1 && isTypo(word, other));
        if (meant.length > 0) return meant.find((other) => other[0] === word[0]) ?? meant[0];
      }
      return undefined;
    },
    nearest: (word) => {
      if (word.length < LEAST_LETTERS - 1) return [];
      const pairs = pairsOf(word);
      const entries = [...ownPhrases.values(), ...ofSite.phrases.values()].flatMap(([entry]) =>
        entry && entry.meaning.kind !== 'joint' && entry.label !== '' ? [entry] : [],
      );
      lexicon.steps += entries.length;
      const likely = entries.flatMap((entry) => {
        const score = likeness(word, pairs, plain(entry.phrase).replace('/', ''));
        return score >= LEAST_LIKENESS ? [{ entry, score }] : [];
      });
      const best = likely.toSorted((one, other) => other.score - one.score).map(({ entry }) => entry);
      const all = new Map(
        best.map(({ phrase, label }) => [label, { text: phrase.toLowerCase(), label }]).reverse() as [
          string,
          Nearest,
        ][],
      );
      return [...all.values()].reverse().slice(0, MOST_NEAREST);
    },
  };
  return lexicon;
}

/** Words that stand apart in the question only make a phrase if they do so in the phrase, or if it is one word that people also split. */
const fits = (words: readonly string[], phrase: string): boolean => {
  const parts = plain(phrase).split(BETWEEN);
  if (parts.length === words.length) return parts.every((part, at) => squeezed(part) === squeezed(words[at] ?? ''));
  return words.every((word) => word.length > 1 && !isJoint(word));
};

const isJoint = (word: string): boolean =>
  ownPhrases.get(word)?.some(({ meaning }) => meaning.kind === 'joint') ?? false;

const LEAST_LIKENESS = 0.6;
const MOST_COMPARED = 40;

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.min(text.length, MOST_COMPARED) - 1 }, (_, at) => text.slice(at, at + 2)));

/** The share of pairs of letters that two texts have in common, and more if one begins with the other. */
function likeness(word: string, pairs: ReadonlySet<string>, other: string): number {
  const others = pairsOf(other);
  if (pairs.size === 0 || others.size === 0) return 0;
  let both = 0;
  for (const pair of pairs) if (others.has(pair)) both++;
  const begins = word.length >= 3 && (other.startsWith(word) || word.startsWith(other)) ? 0.3 : 0;
  return (2 * both) / (pairs.size + others.size) + begins;
}
