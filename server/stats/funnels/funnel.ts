// Funnels: how many visitors take each step, how long they need, and where they go instead when they leave.
import { Refusal } from '../../errors.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import { splitsVisits } from '../sql/combination.ts';
import { buildFunnel, buildLeft, type Funnel } from './funnel-sql.ts';
import { changedCount } from '../disclosure/cell-key.ts';
import { addToKeys, addToRow, keyedBy } from '../disclosure/rare-values.ts';
import { checkConditions, fewestOf, isLimited } from '../disclosure/rule.ts';
import type { OfValues } from '../disclosure/joined-values.ts';
import { MAX_ROWS } from '../disclosure/shown.ts';
import { changedSteps, type Step } from '../disclosure/steps-of-funnels.ts';
import type { FunnelQuestion } from '../query.ts';
import { askCountedSince, askRange } from '../answers/ranges.ts';
import type { Reader } from '../reader.ts';
import type { Scope, Statement } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { type Asked, comparisonOf, type Days, daysOf, scopeOf } from '../answers/values.ts';

type StepFigures = {
  visitors: number;
  visits: number;
  /** Percentage of the previous step's visitors who did not take this one; null for the first step. */
  drop_off: number | null;
  /** Percentage of the first step's visitors. */
  rate: number;
  /** Median seconds since the step before; null for the first step, and for a step that nobody took. */
  median_time: number | null;
};

/**
 * Visitors whose last step this was: the next step no longer counts them. `pages`: the page that they viewed next, most visitors first.
 * `ended`: those who viewed no other page.
 */
export type Left = { visitors: number; pages: { page: string; visitors: number }[]; ended: number };

export type FunnelFigures = Days & {
  /** `counted_since`: see Summary. */
  compare: (Days & { counted_since: string | null }) | null;
  steps: (StepFigures & { previous: StepFigures | null })[];
  /** Values of the requested dimension, the one with the most visitors in the first step first. */
  rows: { name: string; steps: (StepFigures & { previous: StepFigures | null })[] }[];
};

/** Most values of a dimension in an answer. */
const MAX_VALUES = 10;
/** Most next pages listed for a step. */
const MAX_PAGES = 5;

type AskedFunnel = Asked<FunnelQuestion> & { funnel: Funnel };

export async function askFunnel(reader: Reader, asked: AskedFunnel): Promise<FunnelFigures> {
  const { question, funnel } = asked;
  const { by } = question;
  if (by !== undefined) checkFunnelDimension(by);
  const range = await askRange(reader, asked);
  const scope = scopeOf(asked, range);
  const comparison = comparisonOf(asked, range);
  const [steps, previous, rows, countedSince] = await Promise.all([
    askSteps(reader, scope, funnel),
    comparison && askSteps(reader, comparison.scope, funnel),
    by ? askComparedSplit(reader, { scope, before: comparison?.scope }, { funnel, by }) : [],
    comparison && !question.versus ? askCountedSince(reader, question, comparison.range) : null,
  ]);
  return {
    ...daysOf(range),
    compare: comparison ? { ...daysOf(comparison.range), counted_since: countedSince } : null,
    steps: withPrevious(steps, previous),
    rows,
  };
}

/** Throws bad_request for a dimension that does not describe whole visits. */
export function checkFunnelDimension(by: Dimension): void {
  if (splitsVisits(by))
    throw new Refusal('bad_request', 'by: must be a dimension of whole visits, such as device, source or country.');
}

/** For each step except the last: where the visitors who left after it went. */
export async function askLeft(reader: Reader, asked: AskedFunnel): Promise<Left[]> {
  const { funnel } = asked;
  const scope = scopeOf(asked, await askRange(reader, asked));
  const limit = isLimited(reader.rule) ? MAX_ROWS : MAX_PAGES;
  const build = (seen: Scope) => buildLeft({ scope: seen, funnel }, limit);
  const { rows, cells, keyed } = await ask(reader, scope, funnel, { build });
  const key = keyed.reduce((sum, one) => sum + one.key, 0);
  const stopped = funnel.steps.map((_, index) => {
    const own = rows.filter((row) => Number(row['step']) === index + 1);
    return { own, visitors: Number(own[0]?.['stopped'] ?? 0), key: Number(own[0]?.['stopped_key'] ?? 0) };
  });
  const reached = stopped.map((_, index) => {
    const sumOf = (name: 'visitors' | 'key') => stopped.slice(index).reduce((sum, one) => sum + one[name], 0);
    return { visitors: sumOf('visitors'), visits: sumOf('visitors'), key: sumOf('key') + key, median_ms: 0 };
  });
  const shown = seen(reader, { counts: reached, everybody: everybodyIn(addToKeys(cells, keyed)[0]) });
  const fewest = fewestOf(reader.rule);
  const least = Math.max(1, fewest);
  return stopped.slice(0, -1).map(({ own }, index) => {
    const visitors = (shown[index]?.visitors ?? 0) - (shown[index + 1]?.visitors ?? 0);
    if (visitors < least) return { visitors: 0, pages: [], ended: 0 };
    const next = own.map((row) => {
      const cell = { visitors: Number(row['visitors']), key: Number(row['key']) + key };
      const changed =
        fewest > 0 ? changedCount(cell, cell.visitors, { what: 'unique_visitors', fewest }) : cell.visitors;
      return { page: String(row['page']), visitors: Math.min(changed, visitors) };
    });
    const ended = next.find(({ page }) => page === '')?.visitors ?? 0;
    return {
      visitors,
      pages: next.filter((one) => one.page !== '' && one.visitors >= least).slice(0, MAX_PAGES),
      ended: ended < least ? 0 : ended,
    };
  });
}

const withPrevious = (steps: StepFigures[], previous: StepFigures[] | undefined) =>
  steps.map((step, index) => ({ ...step, previous: previous?.[index] ?? null }));

/** `labels`: only these values of the dimension. */
type Split = { funnel: Funnel; by?: Dimension; labels?: string[] };
type Counts = Step;
/** `everybody`: also those who did not take the first step. */
type Counted = { counts: Counts[]; everybody: Counts | undefined };

async function askSteps(reader: Reader, scope: Scope, funnel: Funnel): Promise<StepFigures[]> {
  const [all] = await askCounts(reader, scope, { funnel });
  return figuresOf(all ? seen(reader, all) : noCounts(funnel));
}

/** Compares each value with itself. A value that nobody had before is compared with zeros. */
async function askComparedSplit(
  reader: Reader,
  { scope, before }: { scope: Scope; before: Scope | undefined },
  split: Split,
): Promise<FunnelFigures['rows']> {
  const rows = await askSplit(reader, scope, split);
  const labels = rows.map(({ name }) => name);
  const found = before && rows.length > 0 ? await askSplit(reader, before, { ...split, labels }) : [];
  const previous = new Map(found.map(({ name, steps }) => [name, steps]));
  const none = before && figuresOf(noCounts(split.funnel));
  return rows.map(({ name, steps }) => ({ name, steps: withPrevious(steps, previous.get(name) ?? none) }));
}

async function askSplit(reader: Reader, scope: Scope, split: Split): Promise<{ name: string; steps: StepFigures[] }[]> {
  const rows = await askCounts(reader, scope, split);
  return rows
    .map(({ name, ...counted }) => ({ name, steps: figuresOf(seen(reader, counted)) }))
    .filter(({ steps }) => steps[0]?.visitors)
    .sort((one, other) => firstOf(other) - firstOf(one) || byText(one.name, other.name)) // by what is shown
    .slice(0, MAX_VALUES);
}

const firstOf = ({ steps }: { steps: StepFigures[] }): number => steps[0]?.visitors ?? 0;

async function askCounts(
  reader: Reader,
  asked: Scope,
  { funnel, by, labels }: Split,
): Promise<(Counted & { name: string })[]> {
  const hasKeys = isLimited(reader.rule);
  const limit = hasKeys ? MAX_ROWS : MAX_VALUES;
  const rare = by && (await reader.rareOf(asked, by));
  const dimension = by && { dimension: by, rare, limit, labels };
  const build = (scope: Scope) => buildFunnel({ scope, funnel, by: dimension, hasKeys });
  const { rows, cells, keyed } = await ask(reader, asked, funnel, { build, by: by && { dimension: by, rare } });
  const joined = (some: Rows) => addToKeys(rare ? addToRow(some, rare) : some, keyed);
  const cellOf = new Map(joined(cells).map((cell) => [cell['label'], cell]));
  return joined(rows).map((row) => ({
    name: String(row['label'] ?? ''),
    everybody: everybodyIn(cellOf.get(row['label'])),
    counts: funnel.steps.map((_, index) => ({
      visitors: Number(row[`visitors_${index + 1}`]),
      visits: Number(row[`visits_${index + 1}`]),
      key: Number(row[`key_${index + 1}`] ?? 0),
      median_ms: Number(row[`median_${index + 1}`] ?? 0),
    })),
  }));
}

const everybodyIn = (cell: Rows[number] | undefined): Counts | undefined =>
  cell && {
    visitors: Number(cell['unique_visitors']),
    visits: Number(cell['visits']),
    key: Number(cell['visitor_key']),
    median_ms: 0,
  };

type Building = { build(scope: Scope): Statement; by?: OfValues | undefined };

/** Returns no rows to a viewer if the filters leave too few visitors. `cells`: everybody, for viewers. `keyed`: added to each cell key. */
async function ask(reader: Reader, asked: Scope, { steps }: Funnel, { build, by }: Building) {
  if (reader.rule) checkConditions(reader.rule, steps);
  const scope = await reader.narrowed(asked);
  if (!scope) return { rows: [], cells: [], keyed: [] };
  const [rows, cells] = await Promise.all([
    reader.remembered(scope, build(scope), (counted) => counted), // `seen` withholds and changes the counts
    reader.cells(scope, by),
  ]);
  return { rows, cells, keyed: keyedBy(scope.filters) };
}

/** The numbers that the requester may see. */
const seen = ({ rule }: Reader, { counts, everybody }: Counted): Counts[] =>
  isLimited(rule) ? changedSteps(counts, { everybody, fewest: rule.fewest }) : counts;

const noCounts = ({ steps }: Funnel): Counts[] => steps.map(() => ({ visitors: 0, visits: 0, key: 0, median_ms: 0 }));

function figuresOf(counts: Counts[]): StepFigures[] {
  return counts.map(({ visitors, visits, median_ms }, index) => {
    const before = counts[index - 1];
    return {
      visitors,
      visits,
      drop_off: before ? 100 - share(visitors, before.visitors, 100) : null,
      rate: share(visitors, counts[0]?.visitors ?? 0, 0),
      median_time: before && visitors > 0 ? median_ms / 1000 : null,
    };
  });
}

/** Returns a percentage; `without` if the whole is 0. */
function share(part: number, whole: number, without: number): number {
  return whole === 0 ? without : (100 * part) / whole;
}
