// The lists of a report on one site: pages, sources and goals, what moved most, and new sources.
import type { Block, Row } from '../../messages/mail/content.ts';
import type { Goal } from '../../sites/definitions/goals.ts';
import type { Site } from '../../sites/sites.ts';
import type { Breakdown } from '../../stats/answers/breakdown.ts';
import type { Driver } from '../../stats/answers/driver.ts';
import type { Stats } from '../../stats/run.ts';
import { fullNumber } from '../../vocabulary/numbers/format.ts';
import { NEW_SOURCE_DAYS } from '../../vocabulary/settings/reports.ts';
import { valueName } from '../../vocabulary/questions/value-names.ts';
import { changeIn } from './figures.ts';
import type { View } from './view.ts';

const ROWS = 5;
const MOVED = 3;
const GOALS = 10;

/** `name`: as the API says it, such as an empty one for direct visits. `previous`: null if nothing is compared. */
type Visited = { name: string; unique_visitors: number; previous: number | null };
export type ListNumbers = {
  pages: Visited[];
  sources: Visited[];
  new_sources: { name: string; unique_visitors: number }[];
  goals: { id: string; name: string; conversions: number; previous: number | null }[];
};

type Asking = { stats: Stats; now: number };
type OfSite = { site: Site; view: View; goals: readonly Goal[]; isCompared: boolean };

/** Empty tables are left out. */
export async function listsOf(asking: Asking, of: OfSite): Promise<{ blocks: Block[]; numbers: ListNumbers }> {
  const [pages, movedPages, sources, movedSources, newSources, conversions] = await Promise.all([
    topOf(asking, of, { dimension: 'page', title: 'Pages' }),
    movesOf(asking, of, { dimension: 'page', title: 'Pages' }),
    topOf(asking, of, { dimension: 'source', title: 'Sources' }),
    movesOf(asking, of, { dimension: 'source', title: 'Sources' }),
    newSourcesOf(asking, of),
    conversionsOf(asking, of),
  ]);
  const blocks = [pages.blocks, movedPages, sources.blocks, movedSources, newSources.blocks, conversions.blocks].flat();
  return {
    blocks,
    numbers: {
      pages: pages.numbers,
      sources: sources.numbers,
      new_sources: newSources.numbers,
      goals: conversions.numbers,
    },
  };
}

type Listed = { dimension: 'page' | 'source'; title: string };
const METRIC = 'unique_visitors';

async function topOf({ stats, now }: Asking, { view, site, isCompared }: OfSite, { dimension, title }: Listed) {
  const asked = { ...view.question, page: 1, per_page: ROWS, dimension };
  const answer = await stats.breakdown({ ...asked, metrics: [METRIC] }, site, now);
  const numbers = countsOf(answer, METRIC, isCompared);
  return {
    blocks: table(
      `${title}, by visitors`,
      numbers.map((one) => rowOf({ ...one, name: valueName(dimension, one.name) }, METRIC)),
    ),
    numbers: numbers.map(({ name, value, previous }): Visited => ({ name, unique_visitors: value, previous })),
  };
}

async function movesOf({ stats, now }: Asking, of: OfSite, { dimension, title }: Listed): Promise<Block[]> {
  if (!of.isCompared) return [];
  const { rose, fell } = await stats.moves({ ...of.view.question, dimension, metric: METRIC }, of.site, now);
  const rows = (all: Driver[]) => all.slice(0, MOVED).map(movedRow);
  return [...table(`${title} that gained most`, rows(rose)), ...table(`${title} that lost most`, rows(fell))];
}

async function newSourcesOf({ stats, now }: Asking, { view, site }: OfSite) {
  const found = await stats.newcomers({ ...view.question, dimension: 'source', metric: METRIC }, site, now);
  const shown = found.slice(0, ROWS);
  return {
    blocks: table(
      `New sources, not seen in the ${NEW_SOURCE_DAYS / 7} weeks before`,
      shown.map(({ name, value }) => ({ name, value: fullNumber(value) })),
    ),
    numbers: shown.map(({ name, value }) => ({ name, unique_visitors: value })),
  };
}

async function conversionsOf({ stats, now }: Asking, { view, site, goals, isCompared }: OfSite) {
  if (goals.length === 0) return { blocks: [], numbers: [] };
  const asked = { ...view.question, page: 1, per_page: GOALS, dimension: 'goal' as const };
  const answer = await stats.breakdown({ ...asked, metrics: ['conversions'] }, site, now);
  const names = new Map(goals.map(({ id, name }) => [id, name]));
  const counts = countsOf(answer, 'conversions', isCompared);
  const numbers = counts.map(({ name: id, value, previous }) => ({
    id,
    name: names.get(id) ?? id,
    conversions: value,
    previous,
  }));
  const rows = numbers.map(({ conversions, ...one }) => rowOf({ ...one, value: conversions }, 'conversions'));
  return { blocks: table('Goals, by conversions', rows), numbers };
}

const table = (title: string, rows: Row[]): Block[] => (rows.length > 0 ? [{ kind: 'table', title, rows }] : []);

type Counted = { name: string; value: number; previous: number | null };
type Counting = 'unique_visitors' | 'conversions';

const countsOf = ({ rows }: Breakdown, metric: Counting, isCompared: boolean): Counted[] =>
  rows.map(({ name, values, previous }) => ({
    name,
    value: values[metric] ?? 0,
    previous: isCompared ? (previous?.[metric] ?? null) : null,
  }));

const rowOf = ({ name, value, previous }: Counted, metric: Counting): Row => ({
  name,
  value: fullNumber(value),
  change: changeIn(metric, { value, previous }),
});

function movedRow({ dimension, name, value, previous }: Driver): Row {
  const moved = value - previous;
  const text = `${moved > 0 ? '+' : '−'}${fullNumber(Math.abs(moved))}`;
  return {
    name: valueName(dimension, name),
    value: fullNumber(value),
    change: { text, verdict: moved > 0 ? 'good' : 'bad' },
  };
}
