// The lists of a report on one site: pages, sources and goals, what moved most, and new sources.
import type { Block, Row } from '../../messages/mail/content.ts';
import type { Goal } from '../../sites/definitions/goals.ts';
import type { Site } from '../../sites/sites.ts';
import type { Breakdown } from '../../stats/answers/breakdown.ts';
import type { Driver } from '../../stats/answers/driver.ts';
import type { Stats } from '../../stats/run.ts';
import { t, texts, tn } from '../../vocabulary/habits/messages.ts';
import { fullNumber } from '../../vocabulary/numbers/format.ts';
import { NEW_SOURCE_DAYS } from '../../vocabulary/settings/reports.ts';
import { valueName } from '../../vocabulary/questions/value-names.ts';
import { changeIn, withSign } from './figures.ts';
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
    topOf(asking, of, 'page'),
    movesOf(asking, of, 'page'),
    topOf(asking, of, 'source'),
    movesOf(asking, of, 'source'),
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

type Listed = 'page' | 'source';
const TITLES: Record<Listed, { all: string; rose: string; fell: string }> = texts({
  page: { all: 'Pages, by visitors', rose: 'Pages that gained most', fell: 'Pages that lost most' },
  source: { all: 'Sources, by visitors', rose: 'Sources that gained most', fell: 'Sources that lost most' },
});
const METRIC = 'unique_visitors';

async function topOf({ stats, now }: Asking, { view, site, isCompared }: OfSite, dimension: Listed) {
  const asked = { ...view.question, page: 1, per_page: ROWS, dimension };
  const answer = await stats.breakdown({ ...asked, metrics: [METRIC] }, site, now);
  const numbers = countsOf(answer, METRIC, isCompared);
  return {
    blocks: table(
      TITLES[dimension].all,
      numbers.map((one) => rowOf({ ...one, name: valueName(dimension, one.name) }, METRIC)),
    ),
    numbers: numbers.map(({ name, value, previous }): Visited => ({ name, unique_visitors: value, previous })),
  };
}

async function movesOf({ stats, now }: Asking, of: OfSite, dimension: Listed): Promise<Block[]> {
  if (!of.isCompared) return [];
  const { rose, fell } = await stats.moves({ ...of.view.question, dimension, metric: METRIC }, of.site, now);
  const rows = (all: Driver[]) => all.slice(0, MOVED).map(movedRow);
  const titles = TITLES[dimension];
  return [...table(titles.rose, rows(rose)), ...table(titles.fell, rows(fell))];
}

async function newSourcesOf({ stats, now }: Asking, { view, site }: OfSite) {
  const found = await stats.newcomers({ ...view.question, dimension: 'source', metric: METRIC }, site, now);
  const shown = found.slice(0, ROWS);
  return {
    blocks: table(
      tn(
        NEW_SOURCE_DAYS / 7,
        'New sources, not seen in the week before',
        'New sources, not seen in the {n} weeks before',
      ),
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
  return { blocks: table(t('Goals, by conversions'), rows), numbers };
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
  const text = withSign(fullNumber(Math.abs(moved)), moved > 0 ? 'up' : 'down');
  return {
    name: valueName(dimension, name),
    value: fullNumber(value),
    change: { text, verdict: moved > 0 ? 'good' : 'bad' },
  };
}
