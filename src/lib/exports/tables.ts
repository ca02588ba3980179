// Answers as rows for a CSV file. The headings are the names of the API's fields; a dot leads into a field.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import type { Cell } from '../../../server/vocabulary/texts/csv.ts';
import { MAX_ROWS } from '../../../server/vocabulary/limits.ts';
import { MAX_SEARCH_PAGE, SEARCH_METRICS } from '../../../server/vocabulary/settings/search-console.ts';
import { stepStart, VITAL_NAMES } from '../../../server/vocabulary/numbers/vitals.ts';
import { type Dimension, isDimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { isoOf } from '../../../server/vocabulary/time/time.ts';
import type { Api } from '../api/client.ts';
import type { FunnelFigures, FunnelLeft, VitalsFigures } from '../api/types.ts';
import { isCoded, valueName } from '../formats/dimensions.ts';
import { askRows } from '../view/lists.ts';
import type { Asked, Kind, Questions } from './asked.ts';

export type Table = { rows: Cell[][]; date_from: string; date_to: string };

/** As many columns as there are names, for each of what is told and of what it is compared with. */
const numbersIn = <Name extends string>(names: readonly Name[], values: Partial<Record<Name, number | null>> | null) =>
  names.map((name): Cell => values?.[name] ?? (values ? 0 : ''));
const before = (names: readonly string[]) => names.map((name) => `previous.${name}`);

/** All pages of a list. */
async function allPages<Answer extends { total: number; rows: unknown[] }>(
  perPage: number,
  ask: (of: { page: number; per_page: number }) => Promise<Answer>,
): Promise<{ first: Answer; rows: Answer['rows'] }> {
  const first = await ask({ page: 1, per_page: perPage });
  const rows = [...first.rows];
  for (let page = 2; rows.length < first.total; page += 1) {
    const part = await ask({ page, per_page: perPage });
    if (part.rows.length === 0) break; // fewer than there were
    rows.push(...part.rows);
  }
  return { first, rows };
}

async function listTable(api: Api, question: Questions['breakdown'], goals: Questions['goals']['all'] = []) {
  const { dimension, metrics } = question;
  const signal = new AbortController().signal;
  const { first, rows } = await allPages(MAX_ROWS, (of) => askRows(api, { ...question, ...of }, signal));
  const isCompared = rows.some(({ previous }) => previous !== null);
  const names = isCoded(dimension) ? ['name'] : [];
  const unreached = goals
    .filter(({ id }) => !rows.some(({ name }) => name === id))
    .map(({ id }) => ({ name: id, values: {}, previous: isCompared ? {} : null }));
  return {
    ...daysOf(first),
    rows: [
      [dimension, ...names, ...metrics, ...(isCompared ? before(metrics) : [])],
      ...[...rows, ...unreached].map(({ name, values, previous }) => [
        name,
        ...names.map(() => valueName(dimension, name)),
        ...numbersIn(metrics, values),
        ...(isCompared ? numbersIn(metrics, previous) : []),
      ]),
    ],
  };
}

const daysOf = ({ date_from, date_to }: { date_from: string; date_to: string }) => ({ date_from, date_to });

async function termsTable(api: Api, question: Questions['terms']): Promise<Table> {
  const { first, rows } = await allPages(MAX_SEARCH_PAGE, (of) =>
    api.searchConsole.terms.query({ ...question, ...of }),
  );
  const isCompared = first.compared !== null;
  const row = (term: string, { before: previous, ...figures }: (typeof first)['totals']) => [
    term,
    ...numbersIn(SEARCH_METRICS, figures),
    ...(isCompared ? numbersIn(SEARCH_METRICS, previous) : []),
  ];
  const withheld =
    !question.search && first.withheld.impressions > 0 ? [row('Not told by Google', first.withheld)] : [];
  return {
    ...daysOf(first),
    rows: [
      ['term', ...SEARCH_METRICS, ...(isCompared ? before(SEARCH_METRICS) : [])],
      ...rows.map((one) => row(one.term, one)),
      ...withheld,
    ],
  };
}

const STEP = ['visitors', 'visits', 'rate', 'drop_off', 'median_time'] as const;
type Step = Pick<FunnelFigures['steps'][number], (typeof STEP)[number]>;

/** The steps, followed by the steps for each value of the dimension that they are split by. */
function funnelRows(figures: FunnelFigures, left: FunnelLeft, by: Dimension | undefined): Cell[][] {
  const isCompared = figures.compare !== null;
  const cells = (step: Step | null) => STEP.map((name) => step?.[name] ?? '');
  type Compared = Step & { previous: Step | null };
  const row = (index: number, step: Compared, { value = '', gone }: { value?: string; gone?: FunnelLeft[number] }) => {
    return [
      ...(by ? [value] : []),
      figures.steps[index]?.name ?? '',
      ...cells(step),
      ...(isCompared ? cells(step.previous) : []),
      gone?.visitors ?? '',
      gone?.ended ?? '',
      gone?.pages.map(({ page, visitors }) => `${page}: ${visitors}`).join('; ') ?? '',
    ];
  };
  return [
    [
      ...(by ? [by] : []),
      'name',
      ...STEP,
      ...(isCompared ? before(STEP) : []),
      'left.visitors',
      'left.ended',
      'left.pages',
    ],
    ...figures.steps.map((step, index) => row(index, step, left[index] ? { gone: left[index] } : {})),
    ...figures.rows.flatMap(({ name, steps }) =>
      steps.map((step, index) => row(index, step, { value: name === '' && by ? valueName(by, name) : name })),
    ),
  ];
}

async function funnelTable(api: Api, question: Questions['funnel']): Promise<Table> {
  const { by, ...whole } = question;
  const [figures, left] = await Promise.all([api.stats.funnel.query(question), api.stats.left.query(whole)]);
  return { ...daysOf(figures), rows: funnelRows(figures, left, by) };
}

const BRANCH = ['step', 'parent', 'kind', 'name', 'visits', 'ended', 'other'] as const;

async function journeyTable(api: Api, question: Questions['journey']): Promise<Table> {
  const journey = await api.stats.journey.query(question);
  const rows = journey.branches.map((branch) => BRANCH.map((name) => branch[name] ?? ''));
  return { ...daysOf(journey), rows: [[...BRANCH], ...rows] };
}

async function weekTable(api: Api, question: Questions['week']): Promise<Table> {
  const week = await api.stats.week.query(question);
  const rows = week.cells.map((value, cell) => [Math.floor(cell / 24) + 1, cell % 24, value]);
  return { ...daysOf(week), rows: [['weekday', 'hour', question.metric], ...rows] };
}

async function aiTable(api: Api, question: Questions['aiOverTime']): Promise<Table> {
  const answer = await api.stats.aiOverTime.query(question);
  const isCompared = answer.by_provider.some(({ previous }) => previous !== null);
  const names = ['ai_visits', 'visits'] as const;
  const cells = (of: { read: number; sent: number | null } | null) => [of?.read ?? '', of?.sent ?? ''];
  const rows = answer.by_provider.map(({ provider, previous, ...own }) => [
    provider,
    ...cells(own),
    ...(isCompared ? cells(previous) : []),
  ]);
  return {
    ...daysOf(answer),
    rows: [['ai_provider', ...names, ...(isCompared ? before(names) : [])], ...rows],
  };
}

async function readingTable(api: Api, question: Questions['reading']): Promise<Table> {
  const { views, reached, ...days } = await api.stats.reading.query(question);
  const rows = reached.map((tenth) => [tenth.scroll, tenth.views, views === 0 ? 0 : (100 * tenth.views) / views]);
  return { ...daysOf(days), rows: [['scroll', 'views', 'share'], ...rows] };
}

const RATED = ['good', 'needs_improvement', 'poor'] as const;
const VITALS_COLUMNS = [
  'views',
  ...VITAL_NAMES,
  ...VITAL_NAMES.flatMap((vital) => RATED.map((rating) => `shares.${vital}.${rating}`)),
];

function vitalsCells(figures: VitalsFigures | null): Cell[] {
  if (!figures) return VITALS_COLUMNS.map(() => '');
  const shares = VITAL_NAMES.flatMap((vital) => RATED.map((rating) => figures[vital][rating]));
  return [figures.views, ...VITAL_NAMES.map((vital) => figures[vital].p75 ?? ''), ...shares];
}

async function vitalsTable(api: Api, question: Questions['vitalsList']): Promise<Table> {
  const { split = 'page' } = question;
  const { first, rows } = await allPages(MAX_ROWS, (of) => api.stats.vitalsList.query({ ...question, ...of }));
  const isCompared = rows.some((row) => row.before !== null);
  const names = isDimension(split) && isCoded(split) ? ['name'] : [];
  return {
    ...daysOf(first),
    rows: [
      [split, ...names, ...VITALS_COLUMNS, ...(isCompared ? before(VITALS_COLUMNS) : [])],
      ...rows.map((row) => [
        row.name,
        ...names.map(() => valueName(split, row.name)),
        ...vitalsCells(row),
        ...(isCompared ? vitalsCells(row.before) : []),
      ]),
    ],
  };
}

async function spreadTable(api: Api, question: Questions['vitalsHistogram']): Promise<Table> {
  const { counts, ...days } = await api.stats.vitalsHistogram.query(question);
  const rows = counts.map((views, index) => [stepStart(question.vital, index), views]);
  return { ...daysOf(days), rows: [['from', 'views'], ...rows] };
}

const ERROR = ['shape', 'message', 'kind', 'file', 'line', 'count', 'visits', 'share'] as const;

async function errorsTable(api: Api, question: Questions['errors']): Promise<Table> {
  const { first, rows } = await allPages(MAX_ROWS, (of) => api.stats.errors.query({ ...question, ...of }));
  return {
    ...daysOf(first),
    rows: [
      [...ERROR, 'first_seen', 'last_seen', 'since'],
      ...rows.map((row) => [
        ...ERROR.map((name) => row[name]),
        isoOf(row.first_seen) ?? '',
        new Date(row.last_seen).toISOString(),
        row.since ?? '',
      ]),
    ],
  };
}

/** Lines of a chart are drawn on one axis, so the chart itself makes their table. */
type Tabled = Exclude<Kind, 'timeseries' | 'trends' | 'aiSeries' | 'vitals'>;
const TABLES: { [K in Tabled]: (api: Api, question: Questions[K]) => Promise<Table> } = {
  breakdown: (api, question) => listTable(api, question),
  goals: (api, { counted, all }) => listTable(api, counted, all),
  week: weekTable,
  funnel: funnelTable,
  journey: journeyTable,
  terms: termsTable,
  aiOverTime: aiTable,
  reading: readingTable,
  vitalsList: vitalsTable,
  vitalsHistogram: spreadTable,
  errors: errorsTable,
};

export function tableOf(api: Api, { kind, question }: Asked): Promise<Table> {
  const make = (TABLES as Partial<Record<Kind, (api: Api, question: never) => Promise<Table>>>)[kind];
  return make?.(api, question as never) ?? Promise.reject(new Error(t('The chart has no numbers yet.')));
}
