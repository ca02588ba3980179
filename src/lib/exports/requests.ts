// The questions of the dashboard as requests to the API and as calls of its tools for assistants. Pure; a test compares the answers of both.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { curlOf } from '../../../server/vocabulary/texts/curl.ts';
import { MAX_ROWS } from '../../../server/vocabulary/limits.ts';
import { ALL_VISITORS, SEGMENT } from '../../../server/vocabulary/questions/segments.ts';
import type { Filter } from '../../../server/vocabulary/questions/view-address.ts';
import { MAX_SEARCH_PAGE, SEARCH_DIMENSIONS } from '../../../server/vocabulary/settings/search-console.ts';
import { isCoded } from '../formats/dimensions.ts';
import type { Asked, Kind, Questions } from './asked.ts';

type Value = string | number | readonly string[] | readonly Filter[] | Record<string, string>;
type ApiRequest = {
  /** Parameters of the path stand in braces. */
  path: string;
  tool: string;
  args: Record<string, Value>;
  /** What of the view the request does not ask for, as a sentence. */
  remark?: string;
};
/** `hasZone`: the site's days are not those of UTC. */
type Place = { hasZone: boolean };

type Viewed = {
  site_id: string;
  period?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
  compare?: string | undefined;
  compare_from?: string | undefined;
  compare_to?: string | undefined;
  versus?: string | undefined;
  segment?: string | undefined;
  filters?: readonly Filter[] | undefined;
  include_imported?: boolean | undefined;
};

/** Without what is undefined. */
const given = (args: Record<string, Value | undefined>): Record<string, Value> =>
  Object.fromEntries(Object.entries(args).filter((pair): pair is [string, Value] => pair[1] !== undefined));

/** The part that all requests have. */
function viewed({ period = '30d', ...asked }: Viewed, { hasZone }: Place): ApiRequest['args'] {
  const { site_id, date_from, date_to, segment, filters = [] } = asked;
  const dates = period === 'custom' ? { date_from, date_to } : {};
  const timezone = hasZone ? 'site' : undefined;
  return given({ site_id, period, ...dates, timezone, segment, ...filtersOf(filters) });
}

/** `filter` takes one value that must be equal, once for each dimension. */
function filtersOf(all: readonly Filter[]) {
  const isPlain = ({ dimension, operator, values: [value = '', ...more] }: Filter) =>
    operator === 'is' &&
    value !== '' &&
    more.length === 0 &&
    dimension !== SEGMENT &&
    all.filter((other) => other.dimension === dimension).length === 1;
  const plain = all.filter(isPlain).map(({ dimension, values: [value = ''] }) => [dimension, value] as const);
  const others = all.filter((filter) => !isPlain(filter));
  return {
    filter: plain.length > 0 ? Object.fromEntries(plain) : undefined,
    filters: others.length > 0 ? others : undefined,
  };
}

function comparedWith({ compare = 'none', compare_from, compare_to, versus }: Viewed): ApiRequest['args'] {
  if (versus) return { versus };
  if (compare === 'none') return {};
  return given({ compare, ...(compare === 'custom' ? { compare_from, compare_to } : {}) });
}

/** Only totals over days count imported days at all. */
const imported = ({ include_imported }: Viewed): ApiRequest['args'] =>
  include_imported === false ? { include_imported: 'false' } : {};

const inOrder = (order: { by: string; direction: string } | undefined) => order && `${order.by}:${order.direction}`;

function listRequest(question: Questions['breakdown'], place: Place): ApiRequest {
  const { dimension, metrics, search, order } = question;
  const isNamed = search !== undefined && isCoded(dimension);
  const list = { dimension, metrics, search: isNamed ? undefined : search, order: inOrder(order), per_page: MAX_ROWS };
  return {
    path: '/v1/stats/breakdown',
    tool: 'get_breakdown',
    args: { ...viewed(question, place), ...comparedWith(question), ...imported(question), ...given(list) },
    ...(isNamed && { remark: t('The API searches codes, not names: the request is for the whole list.') }),
  };
}

function seriesRequest(question: Questions['timeseries'], place: Place): ApiRequest {
  const series = given({ metrics: [question.metric], interval: question.interval });
  return {
    path: '/v1/stats/timeseries',
    tool: 'get_timeseries',
    args: { ...viewed(question, place), ...comparedWith(question), ...imported(question), ...series },
  };
}

function termsRequest({ filters = [], ...question }: Questions['terms'], place: Place): ApiRequest {
  const applies = ({ dimension }: Filter) => SEARCH_DIMENSIONS.some((one) => one === dimension);
  const list = { search: question.search, order: inOrder(question.order), per_page: MAX_SEARCH_PAGE };
  return {
    path: '/v1/stats/search-terms',
    tool: 'get_search_terms',
    args: {
      ...viewed({ ...question, filters: filters.filter(applies) }, place),
      ...comparedWith(question),
      ...given(list),
    },
  };
}

function aiRequest(question: Viewed & { interval?: string | undefined }, place: Place): ApiRequest {
  return {
    path: '/v1/stats/ai-visits',
    tool: 'get_ai_visits',
    args: { ...viewed(question, place), ...comparedWith(question), ...given({ interval: question.interval }) },
  };
}

const comparedRequest =
  (path: string, tool: string) =>
  (question: Viewed, of: Record<string, Value | undefined>, place: Place): ApiRequest => ({
    path,
    tool,
    args: { ...viewed(question, place), ...comparedWith(question), ...given(of) },
  });
const vitalsRequest = comparedRequest('/v1/stats/vitals', 'get_vitals');
const errorsRequest = comparedRequest('/v1/stats/errors', 'get_errors');

const REQUESTS: { [K in Kind]: (question: Questions[K], place: Place) => ApiRequest[] } = {
  breakdown: (question, place) => [listRequest(question, place)],
  goals: ({ counted }, place) => [listRequest(counted, place)],
  timeseries: (question, place) => [seriesRequest(question, place)],
  // Each row of a list over time is a series of its own.
  trends: ({ names, dimension, filters = [], ...question }, place) =>
    names.map((name) =>
      seriesRequest({ ...question, filters: [...filters, { dimension, operator: 'is', values: [name] }] }, place),
    ),
  week: (question, place) => [
    { path: '/v1/stats/week', tool: 'get_week', args: { ...viewed(question, place), metrics: [question.metric] } },
  ],
  funnel: (question, place) => {
    const { site_id: _, ...args } = viewed(question, place); // the funnel says which site it is
    const { funnel_id, by } = question;
    return [
      {
        path: '/v1/funnels/{funnel_id}',
        tool: 'get_funnel',
        args: { funnel_id, ...args, ...comparedWith(question), ...given({ by }) },
      },
    ];
  },
  journey: (question, place) => {
    const { start, direction, steps } = question;
    const journey = given({ start: `${start.kind}:${start.value}`, direction, steps });
    return [{ path: '/v1/stats/journey', tool: 'get_journey', args: { ...viewed(question, place), ...journey } }];
  },
  terms: (question, place) => [termsRequest(question, place)],
  aiOverTime: (question, place) => [aiRequest(question, place)],
  aiSeries: (question, place) => [aiRequest(question, place)],
  vitals: (question, place) => [vitalsRequest(question, { interval: question.interval }, place)],
  vitalsList: ({ split, search, order, ...question }, place) => [
    vitalsRequest(question, { dimension: split, search, order: inOrder(order), per_page: MAX_ROWS }, place),
  ],
  vitalsHistogram: ({ vital, ...question }, place) => [vitalsRequest(question, { histogram: vital }, place)],
  errors: ({ kind, search, order, ...question }, place) => [
    errorsRequest(question, { kind, search, order: inOrder(order), per_page: MAX_ROWS }, place),
  ],
  reading: (question, place) => [{ path: '/v1/stats/reading', tool: 'get_reading', args: viewed(question, place) }],
};

export function requestsOf({ kind, question }: Asked, place: Place): ApiRequest[] {
  return REQUESTS[kind](question as never, place); // the table has a function for the question of each kind
}

/** The ids of all segments that a question names. */
export function segmentsIn({ kind, question }: Asked): string[] {
  const { segment, versus, filters = [] }: Viewed = kind === 'goals' ? question.counted : question;
  const named = filters.flatMap(({ dimension, values }) => (dimension === SEGMENT ? values : []));
  return [...named, segment, versus].filter((id) => id !== undefined && id !== ALL_VISITORS) as string[];
}

export function addressOf({ path, args }: ApiRequest): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(args)) {
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (name === 'filters') query.set(name, JSON.stringify(value));
    else if (typeof value !== 'object') query.set(name, String(value));
    else if (Array.isArray(value)) query.set(name, value.join(','));
    else for (const [dimension, text] of Object.entries(value)) query.set(`filter[${dimension}]`, String(text));
  }
  return `${filled}?${query}`;
}

/** `origin`: that of this server. */
export const curlLines = (requests: readonly ApiRequest[], origin: string): string =>
  requests.map((request) => curlOf(origin + addressOf(request))).join('\n');

export const toolCalls = (requests: readonly ApiRequest[]): string =>
  requests.map(({ tool, args }) => JSON.stringify({ name: tool, arguments: args }, null, 2)).join('\n');
