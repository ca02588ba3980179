// Funnels as SQL, in one pass over the rows. The query collects, for each visit or visitor, the moments at which a step was taken, and then
// follows the steps through these short lists.
import { ENGAGEMENT, PAGEVIEW } from '../../vocabulary/event.ts';
import { dimensionRow } from '../../vocabulary/questions/dimensions.ts';
import { readFurthestStep } from '../../vocabulary/questions/furthest-step.ts';
import type { FunnelOrder, FunnelScope, GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { sourceOfQuestion } from '../sql/combination.ts';
import type { DimensionSql } from '../sql/dimensions.ts';
import type { OfValues } from '../disclosure/joined-values.ts';
import { EXIT_PAGE, readFilters, type Saved } from '../sql/filters.ts';
import { openGoals, reachedBits } from '../sql/goal-bits.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { joinedDimension } from '../sql/plan.ts';
import { isOfReading } from '../sql/reading-goals.ts';
import { type Bind, IN_RANGE, ON_DAYS_AROUND, openBound, type Scope, type Statement } from '../sql/scope.ts';

/** A funnel of the site under its id. */
export type SavedFunnel = Funnel & { id: string };
/** A funnel with its goals replaced by their conditions. */
export type Funnel = { steps: readonly GoalDefinition[]; within: FunnelScope; order: FunnelOrder };
type FunnelSelect = {
  scope: Scope;
  funnel: Funnel;
  /** Also splits the counts by the values of a visit-level dimension, or by `labels` among these. */
  by?: (OfValues & { limit: number; labels?: string[] | undefined }) | undefined;
  /** Adds `key_N`, the sum of the keys of the step's visitors: see disclosure/cell-key.ts. */
  hasKeys?: boolean;
};

/** A visitor id is valid for one day, so all rows of a visitor are of the same day. */
const GROUPS: Record<FunnelScope, string> = { visit: 'visit_id', day: 'visitor_id' };

/**
 * A moment is a row that takes steps, as one number: its time in milliseconds, a bit for engagement, and a bit for each of at most 8 steps.
 * Moments are therefore sorted by time. Within a millisecond engagement comes last, and earlier steps come first.
 */
const STEP_BITS = 8;
const timeOf = (moment: string) => `bitShiftRight(${moment}, ${STEP_BITS + 1})`;
const takes = (moment: string, step: number) => `bitTest(${moment}, ${step - 1})`;
const isEngagement = (moment: string) => `bitTest(${moment}, ${STEP_BITS})`;

/**
 * Columns computed from one list of `moments`. `reached_1`, `reached_2` … are the moments at which the funnel reached each step, or 0.
 * `wait_2` … are the milliseconds since the step before.
 */
type Path = { name: string; sql: string }[];

const waitOf = (step: number) => ({
  name: `wait_${step}`,
  sql: `${timeOf(`reached_${step}`)} - ${timeOf(`reached_${step - 1}`)}`,
});
const firstOf = (step: number) => `arrayFirst(moment -> ${takes('moment', step)}, moments)`;

/** Each step is taken by a later moment than the one before, with anything between. */
function inOrder(step: number): Path {
  if (step === 1) return [{ name: 'reached_1', sql: firstOf(1) }];
  const before = `reached_${step - 1}`;
  const next = `arrayFirst(moment -> moment > ${before} AND ${takes('moment', step)}, moments)`;
  return [{ name: `reached_${step}`, sql: `if(${before} = 0, 0, ${next})` }, waitOf(step)];
}

/** A step counts once it and all steps before it have been taken, in any order. One row may take several. */
function inAnyOrder(step: number): Path {
  if (step === 1) return [{ name: 'reached_1', sql: firstOf(1) }];
  const [before, first] = [`reached_${step - 1}`, `first_${step}`];
  const sql = `if(${before} = 0 OR ${first} = 0, 0, greatest(${before}, ${first}))`;
  return [{ name: first, sql: firstOf(step) }, { name: `reached_${step}`, sql }, waitOf(step)];
}

/**
 * Each step is taken by the very next row. A page view or an event that is not the next step ends the run; engagement never does. A run may
 * start at every row that takes step 1. Both lists have an entry per moment. `waits_N`: one more than the milliseconds since the step
 * before if a run reaches step N here, else 0. `ends_N`: when the current run with N steps took its last step; 0 if there is none.
 */
function oneAfterAnother(step: number): Path {
  const isTaken = takes('moment', step);
  const before = `arrayPushFront(arrayPopBack(ends_${step - 1}), 0)`;
  const waits =
    step === 1
      ? `arrayMap(moment -> toUInt64(${isTaken}), moments)`
      : `arrayMap((moment, before) -> if(before > 0 AND ${isTaken}, ${timeOf('moment')} - before + 1, 0), moments, ${before})`;
  const ends = `arrayMap((moment, wait) -> if(wait > 0, ${timeOf('moment')}, 0), moments, waits_${step})`;
  return [
    { name: `waits_${step}`, sql: waits },
    {
      name: `ends_${step}`,
      sql: `arrayFill((end, moment) -> end > 0 OR NOT ${isEngagement('moment')}, ${ends}, moments)`,
    },
    { name: `reached_${step}`, sql: `arrayFirst((moment, wait) -> wait > 0, moments, waits_${step})` },
    { name: `wait_${step}`, sql: `arrayFirst(wait -> wait > 0, waits_${step}) - 1` },
  ];
}

const PATHS: Record<FunnelOrder, (step: number) => Path> = {
  any_between: inOrder,
  strict: oneAfterAnother,
  any: inAnyOrder,
};

const numbersOf = ({ steps }: Funnel) => steps.map((_, index) => index + 1);

/**
 * Rows have, for each step N, `visitors_N`, `visits_N` and `median_N`, the median milliseconds since the step before. With a dimension
 * there is one row for each value that visits had at step 1, as `label`, most visitors first.
 */
export function buildFunnel({ scope, funnel, by, hasKeys }: FunnelSelect): Statement {
  const { bound, bind } = openBound(scope);
  const dimension = by && joinedDimension(by, bind);
  const conditions = [
    ...(by && dimensionRow(by.dimension).isOptional ? ["label != ''"] : []),
    ...(by?.labels ? [`label IN ${bind(by.labels)}`] : []),
  ];
  const columns = numbersOf(funnel).flatMap((step) => [
    // On a day, each visitor has one row.
    `${funnel.within === 'day' ? 'countIf(' : 'uniqExactIf(visitor, '}reached_${step} > 0) AS visitors_${step}`,
    `countIf(reached_${step} > 0) AS visits_${step}`,
    ...(hasKeys
      ? [
          `${funnel.within === 'day' ? `sumIf(visitor % ${VISITOR_KEYS}` : 'sumDistinctIf(visitor'}, reached_${step} > 0) % ${VISITOR_KEYS} AS key_${step}`,
        ]
      : []),
    ...(step > 1 ? [`quantileExactInclusiveIf(0.5)(wait_${step}, reached_${step} > 0) AS median_${step}`] : []),
  ]);
  return {
    sql: [
      `SELECT ${[...(dimension ? ['label'] : []), ...columns].join(', ')}`,
      `FROM (${pathsOf({ scope, funnel, dimension }, bind)})`,
      ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
      ...(by ? [`GROUP BY label ORDER BY visitors_1 DESC, label LIMIT ${Math.floor(by.limit)}`] : []),
    ].join('\n'),
    bound,
  };
}

/**
 * Each row is a page that visitors viewed right after their last step, or '' if they viewed none. `step` is that step, `visitors` their
 * number, and `stopped` the number of all visitors whose last step it was; `key` and `stopped_key` are the sums of their keys. A visitor counts
 * once, with the visit that got furthest (the first of several).
 */
export function buildLeft({ scope, funnel }: FunnelSelect, limit: number): Statement {
  const { bound, bind } = openBound(scope);
  const lastFirst = numbersOf(funnel).reverse();
  const ofLast = (value: (step: number) => string) =>
    `multiIf(${lastFirst.map((step) => `reached_${step} > 0, ${value(step)}`).join(', ')}, 0)`;
  const leftAt = ofLast((step) => timeOf(`reached_${step}`));
  const later = 'bitShiftLeft(toUInt256(left_at + 1), 128) AS later';
  const next = 'toUInt64(arrayMin(arrayFilter(view -> view >= later, views))) AS page_id';
  const paths = pathsOf({ scope, funnel, dimension: undefined, hasViews: true }, bind);
  const visits = `SELECT visitor, ${ofLast(String)} AS step, ${leftAt} AS left_at, ${later}, ${next}, ${RANK} + ${GROUPS[funnel.within]} AS rank FROM (${paths})`;
  const furthest =
    funnel.within === 'day'
      ? visits
      : `SELECT visitor, max(step) AS step, argMax(page_id, rank) AS page_id FROM (${visits}) GROUP BY visitor`;
  const counted = `SELECT step, page_id, count() AS visitors, sum(visitor % ${VISITOR_KEYS}) AS key FROM (${furthest}) GROUP BY step, page_id`;
  const pages = `SELECT ${PAGE_ID} AS page_id, page FROM events WHERE ${ON_DAYS_AROUND} GROUP BY page`;
  return {
    sql: [
      'SELECT step, page, visitors, key, sum(visitors) OVER (PARTITION BY step) AS stopped, sum(key) OVER (PARTITION BY step) AS stopped_key',
      `FROM (${counted}) AS counted LEFT JOIN (${pages}) AS pages USING page_id`,
      `ORDER BY step, page_id = 0 DESC, visitors DESC, page LIMIT ${Math.floor(limit) + 1} BY step`,
    ].join('\n'),
    bound,
  };
}

const PAGE_ID = 'cityHash64(page)';
/** Orders a visitor's visits, together with their ids: by the last step, then the earliest first. Times have less than 56 bits. */
const RANK = 'bitShiftLeft(toUInt128(bitShiftLeft(toUInt64(step + 1), 56) - left_at), 64)';
/** A page view as a number of 256 bits, so that the smallest is the earliest: its time, its event, and its page in the lowest 64. */
const VIEW = `bitShiftLeft(toUInt256(toUnixTimestamp64Milli(time)), 128) + bitShiftLeft(toUInt256(event_id), 64) + ${PAGE_ID}`;

type Paths = {
  scope: Scope;
  funnel: Funnel;
  dimension: DimensionSql | undefined;
  /** Adds `views`, all page views of the visit or visitor. Filters do not apply to them. */
  hasViews?: true;
};

/** One row for each visit or visitor that took step 1. */
function pathsOf({ scope, funnel, dimension, hasViews }: Paths, bind: Bind): string {
  sourceOfQuestion({ metrics: ['visits'], filters: scope.filters });
  const { where } = readFilters(scope.filters, bind, openSaved(scope, bind)).rowsFor(['visits'], { anyRow: false });
  const group = GROUPS[funnel.within];
  const isStrict = funnel.order === 'strict';
  const isMoment = [...(isStrict ? [`name != '${ENGAGEMENT}'`] : []), 'taken != 0'].join(' OR ');
  const counted = [...where, `(${isMoment})`].join(' AND ');
  const hasEngagement = isStrict || funnel.steps.some(isOfReading);
  const engaged = hasEngagement ? [`bitShiftLeft(toUInt64(name = '${ENGAGEMENT}'), ${STEP_BITS})`] : [];
  const moment = [`bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time)), ${STEP_BITS + 1})`, ...engaged, 'taken'];
  const columns = [
    group,
    ...(group === 'visitor_id' ? ['visitor_id AS visitor'] : ['any(visitor_id) AS visitor']),
    // Takes the value at step 1: a visitor may come back from elsewhere on the same day.
    ...(dimension ? [`argMinIf(${dimension.sql}, time, ${takes('taken', 1)}) AS label`] : []),
    `arraySort(groupArray${hasViews ? 'If' : ''}(${moment.join(' + ')}${hasViews ? `, ${counted}` : ''})) AS moments`,
    ...(hasViews ? [`groupArrayIf(${VIEW}, name = '${PAGEVIEW}') AS views`] : []),
  ];
  const lists = [
    `WITH ${reachedBits(funnel.steps, bind)} AS taken SELECT ${columns.join(', ')} FROM ${rowsOf(dimension)}`,
    `WHERE ${[IN_RANGE, 'visit_id != 0', hasViews ? `(name = '${PAGEVIEW}' OR (${counted}))` : counted].join(' AND ')}`,
    `GROUP BY ${group} HAVING arrayExists(moment -> ${takes('moment', 1)}, moments)`,
  ].join(' ');
  const path = numbersOf(funnel).flatMap(PATHS[funnel.order]);
  const followed = path.map(({ name, sql }) => `${sql} AS ${name}`);
  const kept = [group, 'visitor', ...(dimension ? ['label'] : []), ...(hasViews ? ['views'] : [])];
  return `SELECT ${[...kept, ...followed].join(', ')} FROM (${lists})`;
}

/** The exit page is not a column, but computed from all rows of the visit. */
function rowsOf(dimension: DimensionSql | undefined): string {
  if (dimension?.level !== 'visit' || !dimension.computed) return 'events';
  return `events INNER JOIN (SELECT visit_id, ${EXIT_PAGE} AS exit_page FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS exits USING visit_id`;
}

/** The goals and funnels of a site, for the filters of one statement. */
export function openSaved(scope: Scope, bind: Bind): Saved {
  const written = new Map<string, string>();
  const atStep = (value: string) => {
    const known = written.get(value) ?? furthestStepSql(scope, value, bind);
    written.set(value, known);
    return known;
  };
  return { goals: openGoals(scope, bind), atStep };
}

/**
 * SQL condition for visits that reached a step of a funnel, if their visitor got no further on that day. It keeps as many visitors as the
 * funnel counts as having left after the step, or as having taken the last one. Other filters do not affect it. Nobody is at a step
 * that the site's funnels do not have.
 */
function furthestStepSql(scope: Scope, value: string, bind: Bind): string {
  const { funnel: id, step } = readFurthestStep(value);
  const funnel = scope.funnels?.find((one) => one.id === id);
  if (!funnel || step > funnel.steps.length) return '0';
  const group = GROUPS[funnel.within];
  const steps = funnel.steps.slice(0, step + 1);
  const paths = pathsOf({ scope: { ...scope, filters: [] }, funnel: { ...funnel, steps }, dimension: undefined }, bind);
  const further = step < steps.length ? `HAVING max(reached_${step + 1}) = 0` : '';
  const there = `SELECT arrayJoin(groupArrayIf(${group}, reached_${step} > 0)) FROM (${paths}) GROUP BY visitor ${further}`;
  return `(visit_id != 0 AND ${group} IN (${there}))`;
}
