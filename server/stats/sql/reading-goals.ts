// Goals of scroll depth and time as SQL. A view of a page lasts from its page view to the visit's next view of the same page. Its engagement
// is stored in several rows if people leave the tab and come back, and the first row that reaches a goal is the conversion.
import { ENGAGEMENT, PAGEVIEW } from '../../vocabulary/event.ts';
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { isOnPage } from './on-page.ts';
import { type Bind, IN_RANGE } from './scope.ts';

/** A goal with its number among those of a statement. */
export type Numbered<Goal extends GoalDefinition = GoalDefinition> = { goal: Goal; bit: number };

/** SQL for a number with the bit `bit` if the condition is true. */
export const bitIf = (condition: string, bit: number) => `bitShiftLeft(toUInt64(${condition}), ${bit})`;

/** Positions in the tuple of a row of a view. Tuples are sorted by their first elements. */
const AT = { time: 1, isView: 2, id: 3, scroll: 4, ms: 5, alone: 6 };

/** SQL about what a goal needs, from the bound number that is enough. */
type Needs = (least: string) => {
  /** Condition for the engagement rows that reach the goal, judged by the columns of each row alone. */
  alone: string;
  /** A number for each row of `view`: the first that is enough reaches the goal. */
  values: string;
  /** Condition over a visit's engagement rows of one page: more than one of them may matter for the goal. */
  severalRows: string;
};

/** The kinds that are reached once per page view: by the first engagement row at which the depth, or the total visible time so far, is enough. */
const READING = {
  scroll: (least) => ({
    alone: `scroll_before < ${least} AND scroll >= ${least}`,
    values: `arrayMap(row -> row.${AT.scroll}, view)`,
    severalRows: `countIf(scroll >= ${least}) > 1`,
  }),
  time: (least) => ({
    alone: `engaged_before_ms < ${least} AND engaged_before_ms + engaged_ms >= ${least}`,
    values: `arrayCumSum(row -> row.${AT.ms}, view)`,
    severalRows: `(count() > 1 AND sum(engaged_ms) >= ${least})`,
  }),
} satisfies Record<string, Needs>;
export type ReadingGoal = Extract<GoalDefinition, { kind: keyof typeof READING }>;
export const isOfReading = (goal: GoalDefinition): goal is ReadingGoal => goal.kind in READING;

type Reached = ReturnType<typeof reachedSql>;
function reachedSql({ goal, bit }: Numbered<ReadingGoal>, bind: Bind) {
  const onPage = isOnPage(goal.page, bind);
  const least = bind(goal.kind === 'scroll' ? goal.scroll : goal.seconds * 1000);
  const { alone, values, severalRows } = READING[goal.kind](least);
  /** The id of the row of `view` that reaches it, or 0. */
  const first = `view[arrayFirstIndex(value -> value >= ${least}, ${values})].${AT.id}`;
  return { bit, onPage, alone, first, severalRows };
}

const IS_ENGAGEMENT = `name = '${ENGAGEMENT}' AND visit_id != 0`;
/** The rows of a range, and earlier ones of the same visits: none is longer than a day. */
const SINCE_THEIR_START = IN_RANGE.replace('{from:Int64})', '{from:Int64}) - INTERVAL 26 HOUR');
/** Rows that arrived out of order, or that were stored before the writer filled these columns. */
const OUT_OF_ORDER = `FROM events WHERE ${SINCE_THEIR_START} AND out_of_order = 1`;
/** With more such rows than this, it costs less to look at all visits. */
const MANY = 100_000;
/** SQL condition for the visits with such rows, and perhaps others. */
const MAY_BE_UNORDERED = `((SELECT count() ${OUT_OF_ORDER}) > ${MANY} OR visit_id IN (SELECT visit_id ${OUT_OF_ORDER}))`;

/** SQL for the bits of the goals that a row reaches. */
export function bitsOfReading(goals: Numbered<ReadingGoal>[], bind: Bind): string {
  const sql = goals.map((goal) => reachedSql(goal, bind));
  const alone = sql.map(({ bit, onPage, alone }) => bitIf(`${onPage} AND ${alone}`, bit)).join(' + ');
  const known = `(SELECT (groupArray(row_id), groupArray(wrong)) FROM (${exceptions(sql, alone)}))`;
  return `if(${IS_ENGAGEMENT}, bitXor(${alone}, transform(event_id, ${known}.1, ${known}.2, toUInt64(0))), 0)`;
}

/**
 * Rows have `row_id` and `wrong`, the bits that a row alone gets wrong. Only visits whose rows came out of order, and have several of
 * them on a page, are followed row by row. Engagement sorts before a page view of the same moment: it belongs to the page that was left.
 */
function exceptions(goals: Reached[], alone: string): string {
  const isView = `name = '${PAGEVIEW}'`;
  const onPages = `(${goals.map(({ onPage }) => onPage).join(' OR ')})`;
  const severalRows = goals.map((goal) => goal.severalRows).join(' OR ');
  const visits = `SELECT visit_id FROM events
    WHERE ${SINCE_THEIR_START} AND ${IS_ENGAGEMENT} AND ${onPages} AND ${MAY_BE_UNORDERED}
    GROUP BY visit_id, cityHash64(page) HAVING ${severalRows}`;
  const row = ['time', isView, 'event_id', `if(${isView}, 0, scroll)`, `if(${isView}, 0, engaged_ms)`, alone];
  const views = `SELECT page, arrayJoin(arraySplit(row -> row.${AT.isView}, arraySort(groupArray((${row.join(', ')}))))) AS view
    FROM events WHERE ${SINCE_THEIR_START} AND (${isView} OR ${IS_ENGAGEMENT}) AND ${onPages} AND visit_id IN (${visits})
    GROUP BY visit_id, page`;
  const firsts = goals.map(({ bit, first }) => `${first} AS first_${bit}`);
  const truth = goals.map(({ bit, onPage }) => bitIf(`${onPage} AND row.${AT.id} = first_${bit}`, bit)).join(' + ');
  return `SELECT row.${AT.id} AS row_id, bitXor(row.${AT.alone}, ${truth}) AS wrong
    FROM (SELECT page, ${firsts.join(', ')}, arrayJoin(view) AS row FROM (${views})) WHERE NOT row.${AT.isView} AND wrong != 0`;
}
