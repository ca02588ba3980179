// Understands a question in plain words: "signup rate by source in October vs September". Pure: the clock, the zone and the site's names are
// given. Nothing is guessed in silence: whatever is unknown or was misspelt is marked.
import type { Dimension } from '../questions/dimensions.ts';
import { dimensionRow, propertyKey } from '../questions/dimensions.ts';
import { wordsOfFilter } from '../questions/filter-words.ts';
import { ALL_VISITORS, type FilterDimension, SEGMENT } from '../questions/segments.ts';
import { dateRange } from '../numbers/format.ts';
import { metricRow, usualMetric } from '../numbers/metrics.ts';
import { type AskedPeriod, COMPARISONS, PERIODS } from '../time/periods.ts';
import { wallTime } from '../time/zones.ts';
import { metricOfTab } from './address.ts';
import { atomsOf } from './atoms.ts';
import { askedPeriod, todayOf } from './dates.ts';
import { readGrammar, type Taken } from './grammar.ts';
import { type Lexicon, type Nearest, openLexicon } from './lexicon.ts';
import type { SiteNames } from './meanings.ts';
import { type AskedView, type Shown, viewOf } from './view.ts';
import { wordsOf } from './words.ts';

export const PART_KINDS = [
  'metric',
  'dimension',
  'filter',
  'segment',
  'period',
  'comparison',
  'interval',
  'unknown',
] as const;

type AskedPart = {
  /** The words, as they were typed, and their place in the question. */
  text: string;
  from: number;
  to: number;
  kind: (typeof PART_KINDS)[number];
  /** How it was understood; empty for the unknown. */
  label: string;
  /** A letter was wrong, or the dashboard has only something near. */
  is_guess: boolean;
  /** Why it does not count. */
  problem: string | null;
  /** What may have been meant: words to write instead. */
  nearest: Nearest[];
};
export type ReadQuestion = { view: AskedView; parts: AskedPart[]; sentence: string; steps: number };

type Given = { now: number; zone: string; names: SiteNames; shown: Shown };

/** How many unknown words get a proposal. */
const MOST_PROPOSALS = 3;

export function readQuestion(question: string, { now, zone, names, shown }: Given): ReadQuestion {
  const lexicon = openLexicon({ ...names, segments: [...names.segments, { id: ALL_VISITORS, name: 'All visitors' }] });
  const today = todayOf(wallTime(now, zone));
  const words = wordsOf(question);
  const read = readGrammar(atomsOf(words, { lexicon, today }), lexicon);
  const view = viewOf(read, { today, names, shown });
  let proposals = 0;
  const parts = read.taken.map((taken): AskedPart => {
    const own = taken.atom.words;
    const [from, to] = [own[0]?.from ?? 0, own.at(-1)?.to ?? 0];
    const isUnknown = taken.kind === 'unknown' || taken.kind === 'rate';
    return {
      text: question.slice(from, to),
      from,
      to,
      kind: kindOf(taken),
      label: isUnknown ? '' : labelOf(taken, { lexicon, today }),
      is_guess: taken.isGuess === true || taken.atom.isGuess,
      problem: taken.problem ?? (isUnknown ? 'Not understood' : null),
      nearest:
        taken.kind === 'unknown' && (proposals += 1) <= MOST_PROPOSALS ? lexicon.nearest(own[0]?.text ?? '') : [],
    };
  });
  return { view, parts, sentence: sentenceOf(view, lexicon), steps: lexicon.steps };
}

/** True if every word counts, and as it was written. */
export const isSure = (parts: readonly AskedPart[]): boolean =>
  parts.every((part) => !part.is_guess && part.problem === null);

const KINDS: Partial<Record<Taken['kind'], AskedPart['kind']>> = {
  rate: 'unknown',
  versus: 'segment',
  compared: 'comparison',
};
const kindOf = ({ kind }: Taken): AskedPart['kind'] => KINDS[kind] ?? (kind as AskedPart['kind']);

const nameOfDimension = (dimension: Dimension): string => propertyKey(dimension) ?? dimensionRow(dimension).label;

const wordingOf = ({ names: { goals, segments } }: Lexicon) => ({
  nameOf: (dimension: FilterDimension, value: string) =>
    (dimension === 'goal' ? goals : dimension === SEGMENT ? segments : []).find(({ id }) => id === value)?.name,
  show: (text: string) => text,
});

const segmentName = ({ names }: Lexicon, id: string): string => names.segments.find((one) => one.id === id)?.name ?? '';

const periodName = ({ period, date_from = '', date_to = '' }: AskedPeriod): string =>
  (period === 'custom' && dateRange(date_from, date_to)) || PERIODS[period].label;

function labelOf(taken: Taken, { lexicon, today }: { lexicon: Lexicon; today: number }): string {
  switch (taken.kind) {
    case 'metric':
      return metricRow(taken.metric).label;
    case 'dimension':
      return `by ${nameOfDimension(taken.dimension)}`;
    case 'filter':
      return taken.all
        .map(({ dimension, value }) =>
          wordsOfFilter({ dimension, operator: taken.operator, values: [value] }, wordingOf(lexicon)),
        )
        .join(', ');
    case 'segment':
      return `Segment ${segmentName(lexicon, taken.id)}`;
    case 'versus':
      return `vs ${segmentName(lexicon, taken.id)}`;
    case 'interval':
      return `by ${taken.interval}`;
    case 'comparison':
      return COMPARISONS[taken.compare].label;
    case 'period':
    case 'compared': {
      const asked = askedPeriod(taken.span, today);
      const name = asked ? periodName(asked) : '';
      return taken.kind === 'compared' ? `vs ${name}` : name;
    }
    case 'rate':
    case 'unknown':
      return '';
  }
}

/** UTM and AI stay as they are. */
const lowered = (label: string): string => label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());

/** The whole view in words. */
function sentenceOf(view: AskedView, lexicon: Lexicon): string {
  const usual = view.by ? metricOfTab(view.by) : usualMetric('events');
  const metrics = view.metrics.length > 0 ? view.metrics : [usual];
  const [first = '', ...others] = metrics.map((name) => metricRow(name).label);
  const counted = [first, ...others.map(lowered)].join(', ');
  const by = view.by ? ` by ${lowered(nameOfDimension(view.by))}` : view.interval ? ` by ${view.interval}` : '';
  const compared =
    view.versus !== undefined
      ? [`compared with ${segmentName(lexicon, view.versus)}`]
      : view.compare === 'custom'
        ? [`compared with ${dateRange(view.compare_from ?? '', view.compare_to ?? '')}`]
        : view.compare === 'none' || view.compare === 'previous'
          ? []
          : [`compared with the ${COMPARISONS[view.compare].label.toLowerCase()}`];
  const filters = view.filters.map((filter) => wordsOfFilter(filter, wordingOf(lexicon)));
  const segment = view.segment === undefined ? [] : [`segment ${segmentName(lexicon, view.segment)}`];
  return [`${counted}${by}`, periodName(view), ...compared, ...segment, ...filters].join(' · ');
}
