// Journeys: where visits go from a page, an event or a goal, or how they get there. A journey starts at the first row of a visit that
// matches the start, or at the last one if it goes backwards. Its nodes are page views and custom events in order of time. Immediate
// repeats are one node.
import type { JourneyDirection } from '../../vocabulary/questions/journeys.ts';
import { SEGMENT } from '../../vocabulary/questions/segments.ts';
import { type Goal, reaches } from '../sql/goals.ts';
import { END, foldBranches, type JourneyBranch, type NodeName } from './journey-branches.ts';
import { type BranchSelect, buildBranches, buildNodeNames, type Renamed } from './journey-sql.ts';
import { KIND_SQL } from '../sql/kinds.ts';
import { fewestOf } from '../disclosure/rule.ts';
import { changedRows } from '../disclosure/shown.ts';
import type { Filter, JourneyQuestion } from '../query.ts';
import { askRange } from '../answers/ranges.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import { type Asked, type Days, daysOf, scopeOf } from '../answers/values.ts';

/** The start of a journey. A start that is a goal comes with the goal's definition. */
export type JourneyFrom = { kind: 'page' | 'event'; name: string } | { kind: 'goal'; name: string; goal: Goal };

export type JourneyAsked = JourneyQuestion & {
  from: JourneyFrom;
  /** Returns the page that a stored page counts as by the site's current rules. Undefined for a site without rules. */
  regroup?: ((page: string) => string) | undefined;
};

/** Branches by step, each after the branch that it continues; empty if no visit has the start. */
export type Journey = Days & { start: NodeName; direction: JourneyDirection; branches: JourneyBranch[] };

/** Branches to read, those with the most visits first. Some hundred of them are shown. */
const MAX_BRANCHES = 2_000;
/** Pages to apply the site's rules to, those with the most views first. */
const MAX_REGROUPED = 5_000;

export async function askJourney(reader: Reader, asked: Asked<JourneyAsked>): Promise<Journey> {
  const { from, direction, steps, regroup } = asked.question;
  const range = await askRange(reader, asked);
  const whole = scopeOf(asked, range);

  const renamed = regroup ? await askRenamed(reader, whole, regroup) : new Map<string, string>();
  const pages = from.kind === 'page' ? pagesNamed(regroup?.(from.name) ?? from.name, renamed) : [];
  const start = { kind: from.kind, name: from.kind === 'page' ? (pages[0] ?? '') : from.name };
  const answer = { ...daysOf(range), start, direction };
  const scope = reader.rule ? await reader.narrowed(whole, startFilter(from, pages)) : whole;
  if (!scope) return { ...answer, branches: [] };

  const starts: BranchSelect['starts'] = (bind) => {
    if (from.kind === 'goal') return reaches(from.goal, bind);
    return from.kind === 'page'
      ? `${KIND_SQL.pageviews} AND page IN ${bind(pages)}`
      : `${KIND_SQL.events} AND name = ${bind(from.name)}`;
  };
  const fewest = fewestOf(reader.rule);
  const statement = buildBranches({ scope, starts, direction, steps, renamed, fewest, limit: MAX_BRANCHES });
  const rows = await reader.remembered(scope, statement, changedRows(['visits'], scope.filters));
  const counted = rows.map((row) => ({
    path: JSON.parse(String(row['branch'])) as string[],
    visits: Number(row['visits']),
  }));
  const names = await askNames(reader, {
    scope,
    renamed,
    ids: [...new Set(counted.flatMap(({ path }) => path.at(-1) ?? []))],
  });
  return { ...answer, branches: foldBranches(counted, { start, names, steps }) };
}

/** Finds the pages whose names the site's current rules change. */
async function askRenamed(reader: Reader, scope: Scope, regroup: (page: string) => string): Promise<Renamed> {
  const pages = await reader.ask({
    scope: { ...scope, filters: [] },
    metrics: ['pageviews'],
    by: { dimension: 'page' },
    limit: MAX_REGROUPED,
  });
  const renamed = pages.map(({ label }) => [String(label), regroup(String(label))] as const);
  return new Map(renamed.filter(([stored, present]) => stored !== present));
}

/** The stored pages that count under a name. */
const pagesNamed = (name: string, renamed: Renamed) => [
  name,
  ...[...renamed].filter(([, present]) => present === name).map(([stored]) => stored),
];

/** The filter with the condition of a start, which narrows a viewer's numbers as a filter does. */
function startFilter(from: JourneyFrom, pages: string[]): Filter {
  const is = 'is' as const;
  if (from.kind === 'goal') return { dimension: 'goal', operator: is, values: [from.goal.id] };
  const values = from.kind === 'page' ? pages : [from.name];
  return {
    dimension: SEGMENT,
    operator: is,
    values: ['start'],
    segments: [[{ dimension: from.kind, operator: is, values }]],
  };
}

type Named = { scope: Scope; renamed: Renamed; ids: string[] };

async function askNames(reader: Reader, { scope, renamed, ids }: Named): Promise<Map<string, NodeName>> {
  const known = ids.filter((id) => id !== END);
  if (known.length === 0) return new Map();
  const statement = buildNodeNames(scope, renamed, known);
  const rows = await reader.remembered(scope, statement, 'nothing about visitors');
  return new Map(
    rows.map(({ id, is_page, label }) => [
      String(id),
      { kind: Number(is_page) ? 'page' : 'event', name: String(label) },
    ]),
  );
}
