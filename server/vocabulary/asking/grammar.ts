// How the phrases of a question belong together: which is the metric, what is listed, what is left out, what is compared.
import type { Metric } from '../numbers/metrics.ts';
import { type Dimension, isDimension } from '../questions/dimensions.ts';
import type { Operator } from '../questions/operators.ts';
import { type FilterDimension, operatorsOf, sourceOfFilter } from '../questions/segments.ts';
import type { Interval } from '../time/intervals.ts';
import { providerOf, RENAMED_ASSISTANTS } from '../ai.ts';
import { type Atom, isHost, isNumber, isPath } from './atoms.ts';
import type { Span } from './dates.ts';
import type { Lexicon } from './lexicon.ts';
import type { Entry, Joint, Meaning, NamedValue } from './meanings.ts';
import { plain } from './words.ts';

/** What one phrase was taken for. `problem`: why it does not count. */
export type Taken = { atom: Atom; isGuess?: true; problem?: string } &
  /** `isAside`: a word for whoever does something, as in "exit pages of mobile visitors". */
  (
    | { kind: 'metric'; metric: Metric; isAside?: boolean }
    | { kind: 'dimension'; dimension: Dimension; isBy: boolean }
    | { kind: 'filter'; operator: Operator; all: readonly NamedValue[] }
    | { kind: 'segment'; id: string }
    | { kind: 'versus'; id: string }
    | { kind: 'period'; span: Span }
    | { kind: 'compared'; span: Span }
    | { kind: 'comparison'; compare: 'previous' | 'year' | 'none' }
    | { kind: 'interval'; interval: Interval }
    | { kind: 'rate' }
    | { kind: 'unknown' }
  );

/** `between`: the dimension whose values are compared, as in "Germany vs France". */
export type Read = { taken: Taken[]; isOfAi: boolean; isAscending: boolean; between?: Dimension };

type State = {
  joint: Joint | undefined;
  isNegated: boolean;
  /** A value has followed the negation: the next part of the question is not negated any more. */
  isNegationUsed: boolean;
  isCompared: boolean;
  /** The question began with "compare". */
  isComparing: boolean;
  isBy: boolean;
  isMost: boolean;
  part: { dimension: Dimension | undefined; isGuess: boolean } | undefined;
  /** The dimension that stands in front of its value. */
  qualifier: Dimension | undefined;
  lastDimension: Dimension | undefined;
};

const isAi = (dimension: FilterDimension): boolean => sourceOfFilter(dimension) === 'ai_visits';

function isMeaningOfAi(meaning: Meaning): boolean {
  if (meaning.kind === 'metric') return meaning.metric === 'ai_visits';
  if (meaning.kind === 'dimension') return isAi(meaning.dimension);
  return meaning.kind === 'value' && meaning.all.some(({ dimension }) => isAi(dimension));
}

const jointOf = (atom: Atom | undefined): Joint | undefined => {
  const meaning = atom?.entries[0]?.meaning;
  return meaning?.kind === 'joint' ? meaning.joint : undefined;
};

export function readGrammar(all: readonly Atom[], lexicon: Lexicon): Read {
  const isOfAi = all.some(
    ({ entries }) => entries.length > 0 && entries.every(({ meaning }) => isMeaningOfAi(meaning)),
  );
  const atoms = all.filter(
    (atom, at) => jointOf(atom) !== 'filler' && !(jointOf(all[at - 1]) === 'most' && isOneNumber(atom)),
  );
  const reader = new Reader({ atoms, isOfAi, lexicon });
  for (let at = 0; at < atoms.length; at++) reader.take(at);
  return {
    taken: reader.taken,
    isOfAi,
    isAscending: reader.isAscending,
    ...(reader.between && { between: reader.between }),
  };
}

/** `/blog/*`: no filter has patterns, but one by a part of the path is near. */
const isPattern = ({ words: [word, ...more] }: Atom): boolean =>
  word !== undefined && more.length === 0 && isPath(word) && word.text.includes('*');

const isOneNumber = ({ words: [word, ...more], entries }: Atom): boolean =>
  word !== undefined && more.length === 0 && entries.length === 0 && isNumber(word);

/** The dimensions that a small word leads to, where several have the name. */
const LED_TO: Partial<Record<Joint, readonly FilterDimension[]>> = {
  from: ['country', 'region', 'city', 'source', 'channel', 'utm_source', 'utm_campaign', 'utm_medium', 'hostname'],
  in: ['city', 'region', 'page'],
  on: ['device', 'browser', 'os', 'page', 'hostname'],
  with: ['browser', 'os', 'device', 'utm_campaign'],
};

class Reader {
  taken: Taken[] = [];
  isAscending = false;
  between: Dimension | undefined;
  #all: { atoms: readonly Atom[]; isOfAi: boolean; lexicon: Lexicon };
  #state: State = {
    joint: undefined,
    isNegated: false,
    isNegationUsed: false,
    isCompared: false,
    isComparing: false,
    isBy: false,
    isMost: false,
    part: undefined,
    qualifier: undefined,
    lastDimension: undefined,
  };

  constructor(all: { atoms: readonly Atom[]; isOfAi: boolean; lexicon: Lexicon }) {
    this.#all = all;
  }

  take(at: number): void {
    const atom = this.#all.atoms[at];
    if (!atom) return;
    const state = this.#state;
    const joint = jointOf(atom);
    if (state.part) return this.#takePart(atom);
    if (isPattern(atom)) {
      state.part = { dimension: 'page', isGuess: true };
      return this.#takePart(atom);
    }
    if (atom.span) return this.#takePeriod(atom, atom.span);
    if (joint) return this.#takeJoint(atom, joint);
    const entry = this.#choose(atom);
    const literal = this.#literalOf(atom, entry);
    if (literal) return this.#takeValue(atom, [literal.value], literal.isGuess);
    if (!entry) return this.#takeUnknown(atom);
    const { meaning } = entry;
    if (meaning.kind === 'metric') this.#takeMetric(atom, meaning.metric);
    else if (meaning.kind === 'dimension') this.#takeDimension(at, meaning);
    else if (meaning.kind === 'value') this.#takeValue(atom, meaning.all, false);
    else if (meaning.kind === 'segment')
      this.#add({ atom, kind: state.isCompared ? 'versus' : 'segment', id: meaning.id });
    else if (meaning.kind === 'interval') this.#add({ atom, kind: 'interval', interval: meaning.interval });
    else if (meaning.kind === 'comparison') this.#add({ atom, kind: 'comparison', compare: meaning.compare });
    if (meaning.kind !== 'value' && meaning.kind !== 'dimension') state.qualifier = undefined;
    if (meaning.kind === 'segment' || meaning.kind === 'comparison') state.isCompared = false;
  }

  #add(taken: Taken): void {
    this.taken.push(taken);
  }

  #endNegation(): void {
    if (this.#state.isNegationUsed) this.#state.isNegated = this.#state.isNegationUsed = false;
  }

  #takeJoint(atom: Atom, joint: Joint): void {
    const state = this.#state;
    if (joint === 'or') {
      state.isCompared ||= state.isComparing && this.taken.some(({ kind }) => kind === 'period');
      return;
    }
    if (joint === 'not') Object.assign(state, { isNegated: true, isNegationUsed: false });
    else if (joint === 'compare') {
      // "Compare October with September": the first one is shown.
      if (this.taken.length === 0) state.isComparing = true;
      else state.isCompared = true;
    } else if (state.isComparing && (joint === 'with' || joint === 'in')) state.isCompared = true;
    else if (joint === 'by') state.isBy = true;
    else if (joint === 'most') {
      state.isMost = true;
      const meaning = atom.entries[0]?.meaning;
      this.isAscending ||= meaning?.kind === 'joint' && meaning.isAscending === true;
    } else if (joint === 'contains' || joint === 'begins')
      state.part = { dimension: state.lastDimension, isGuess: joint === 'begins' };
    else if (joint === 'rate') this.#add({ atom, kind: 'rate' });
    else state.joint = joint;
    if (joint !== 'not') this.#endNegation();
  }

  #takePeriod(atom: Atom, span: Span): void {
    this.#endNegation();
    this.#add({ atom, kind: this.#state.isCompared ? 'compared' : 'period', span });
    this.#state.isCompared = false;
  }

  #takeMetric(atom: Atom, metric: Metric): void {
    this.#endNegation();
    const { isBy, isMost } = this.#state;
    const isAfterList = this.taken.some(({ kind }) => kind === 'dimension');
    Object.assign(this.#state, { isBy: false, isMost: false });
    // "Top events" are listed by their names.
    if (metric === 'events' && isMost && !isAfterList)
      return this.#add({ atom, kind: 'dimension', dimension: 'event', isBy });
    const isAside = metric === 'unique_visitors' && isAfterList && !isBy && !isMost;
    this.#add({ atom, kind: 'metric', metric, ...(isAside && { isAside }) });
  }

  #takeUnknown(atom: Atom): void {
    this.#state.qualifier = undefined;
    this.#add({ atom, kind: 'unknown' });
  }

  /** A list of its values, or what the value beside it is. */
  #takeDimension(at: number, { dimension, isPlural }: { dimension: Dimension; isPlural: boolean }): void {
    const { atoms } = this.#all;
    const state = this.#state;
    const atom = atoms[at] as Atom;
    this.#endNegation();
    state.lastDimension = dimension;
    if (!isPlural && !state.isBy && !state.isMost) {
      const last = this.taken.at(-1);
      const isBeside = last && last.atom === atoms[at - 1];
      if (isBeside && last.kind === 'filter' && this.#restrict(last, dimension)) return;
      if (this.#hasValueIn(atoms[at + 1], dimension)) {
        state.qualifier = dimension;
        return;
      }
    }
    const { isBy } = state;
    state.isBy = state.isMost = false;
    state.qualifier = undefined;
    // In front of "containing …": the text of a filter, and the list as well.
    this.#add({ atom, kind: 'dimension', dimension, isBy });
  }

  /** `spring campaign`: the value before is one of this dimension. */
  #restrict(last: Taken & { kind: 'filter' }, dimension: Dimension): boolean {
    const own = valueIn(last.atom.entries, dimension);
    if (!own) return last.all.some((one) => one.dimension === dimension);
    last.all = own;
    return true;
  }

  #hasValueIn(next: Atom | undefined, dimension: Dimension): boolean {
    if (!next || next.span || jointOf(next)) return false;
    if (valueIn(next.entries, dimension)) return true;
    const [word] = next.words;
    if (!word) return false;
    return (
      word.isQuoted ||
      (dimension === 'ai_status' && isNumber(word)) ||
      (next.entries.length === 0 && !this.#isKnownElsewhere(next))
    );
  }

  #isKnownElsewhere = ({ words }: Atom): boolean => words.some((word) => isPath(word) || isHost(word));

  /** A path, a host, a number after "status", and a quoted name: what they are is plain, whether they occur or not. */
  #literalOf({ words }: Atom, entry: Entry | undefined): { value: NamedValue; isGuess: boolean } | undefined {
    const [word] = words;
    const { qualifier } = this.#state;
    if (!word || words.length > 1) return undefined;
    const isKnown = entry && (entry.meaning.kind === 'value' || entry.meaning.kind === 'segment');
    if (isPath(word)) {
      const page = this.#all.lexicon.names.values.page?.find((one) => plain(one) === word.text) ?? word.name;
      const dimension =
        qualifier && ['page', 'entry_page', 'exit_page', 'ai_page'].includes(qualifier) ? qualifier : 'page';
      return { value: { dimension, value: page }, isGuess: false };
    }
    if (isKnown) return undefined;
    if (qualifier === 'ai_status' && isNumber(word))
      return { value: { dimension: qualifier, value: word.text }, isGuess: false };
    if (qualifier && word.isQuoted) return { value: { dimension: qualifier, value: word.name }, isGuess: true };
    if (isHost(word) && !entry) return { value: { dimension: qualifier ?? 'source', value: word.text }, isGuess: true };
    return undefined;
  }

  #takeValue(atom: Atom, all: readonly NamedValue[], isGuess: boolean): void {
    const state = this.#state;
    const operator = state.isNegated ? 'is_not' : 'is';
    this.#add({ atom, kind: 'filter', operator, all, ...(isGuess && { isGuess }) });
    state.qualifier = undefined;
    if (state.isNegated) state.isNegationUsed = true;
    // "Germany vs France" lists both: the dashboard has one set of filters.
    const [first] = all;
    if (state.isCompared && first && isDimension(first.dimension)) this.between = first.dimension;
    state.isCompared = false;
  }

  #takePart(atom: Atom): void {
    const state = this.#state;
    const part = state.part as NonNullable<State['part']>;
    const text = atom.words.map(({ name }) => name).join(' ');
    const dimension = part.dimension ?? 'page';
    state.part = undefined;
    const operator = state.isNegated ? 'contains_not' : 'contains';
    if (state.isNegated) state.isNegationUsed = true;
    const problem = operatorsOf(dimension).includes(operator) ? undefined : `${dimension} cannot contain a text`;
    const filter = { atom, kind: 'filter', operator, all: [{ dimension, value: text.replaceAll('*', '') }] } as const;
    this.#add({ ...filter, ...(problem && { problem }), ...(part.isGuess && { isGuess: true }) });
  }

  /** Of several meanings, the one that fits what is around it. */
  #choose({ entries, words }: Atom): Entry | undefined {
    const { qualifier, joint } = this.#state;
    const { isOfAi } = this.#all;
    if (qualifier) {
      const own = entries.find(
        ({ meaning }) => meaning.kind === 'value' && meaning.all.every((one) => one.dimension === qualifier),
      );
      if (own) return own;
    }
    const isQuoted = words[0]?.isQuoted === true;
    const possible = entries.filter(
      ({ meaning }) => !isQuoted || meaning.kind === 'value' || meaning.kind === 'segment',
    );
    const ofKind = possible.filter(({ meaning }) => isMeaningOfAi(meaning) === isOfAi);
    const pool = ofKind.length > 0 ? ofKind : possible;
    const isNamedBySite = pool.some(({ sureness }) => sureness === 'site');
    const sure = pool.filter(({ sureness }) => sureness !== 'loose' || !isNamedBySite);
    const language = sure.find(({ meaning }) => dimensionIn(meaning) === 'language');
    if (language && joint === 'in') return language;
    const [best] = sure;
    const same = sure.filter(({ sureness }) => sureness === best?.sureness);
    const led = joint && LED_TO[joint];
    return same.find(({ meaning }) => led?.includes(dimensionIn(meaning) as FilterDimension)) ?? best;
  }
}

const dimensionIn = (meaning: Meaning): FilterDimension | undefined =>
  meaning.kind === 'value' ? meaning.all[0]?.dimension : undefined;

/** The value that a phrase names in a dimension. */
function valueIn(entries: readonly Entry[], dimension: Dimension): readonly NamedValue[] | undefined {
  for (const { meaning } of entries)
    if (meaning.kind === 'value' && meaning.all.every((one) => one.dimension === dimension)) return meaning.all;
  return undefined;
}

/** The same values as AI visits have them: their pages, and the provider of an assistant. Undefined for what they do not have. */
export function asOfAi({ dimension, value }: NamedValue): NamedValue | undefined {
  if (isAi(dimension)) return { dimension, value };
  if (dimension === 'page') return { dimension: 'ai_page', value };
  if (dimension === 'source' && RENAMED_ASSISTANTS.includes(value))
    return { dimension: 'ai_provider', value: providerOf(value) };
  return undefined;
}
