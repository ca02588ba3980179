// The questions about lists: of which values a dimension has, and how each of them changed over time.
import { type Dimension, DIMENSION_NAMES } from '../../../server/vocabulary/questions/dimensions.ts';
import { MAX_ROWS } from '../../../server/vocabulary/limits.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Shared } from './link-view.ts';
import type { Api } from '../api/client.ts';
import type { Asks, Breakdown, Found, Question, Trends } from '../api/types.ts';
import { CODED, isCoded, isOfAi, valueName } from '../formats/dimensions.ts';
import { alone } from './question.ts';
import { type Filter, type Order, writeFilter } from './view.ts';

type ListQuestion = Asks['stats']['breakdown'];

/** A board, as far as lists need it. */
type Asking = { api: Api; question: Question; aiQuestion: Question; shared?: Shared | undefined };

export type BreakdownAsked = {
  dimension: Dimension;
  metrics: Metric[];
  page?: number;
  per_page?: number;
  search?: string;
  order?: Order;
  /** A further filter for this list alone. */
  also?: Filter;
  /** One of the page's filters that does not narrow this list. */
  without?: Filter;
};

/** The page's question about a dimension, with further filters. `without` leaves out one of the page's filters. */
export function questionOf(
  board: Omit<Asking, 'api'>,
  dimension: Dimension,
  also: readonly Filter[] = [],
  without?: Filter,
): Question {
  const { filters: ofPage = [], ...question } = isOfAi(dimension) ? board.aiQuestion : board.question;
  const kept = ofPage.filter((filter) => !without || writeFilter(filter) !== writeFilter(without));
  const filters = [...kept, ...also];
  return { ...question, ...(filters.length > 0 ? { filters } : {}) };
}

/** The page's question about a list. */
export const listQuestion = (
  board: Omit<Asking, 'api'>,
  { also, without, ...asked }: BreakdownAsked,
): ListQuestion => ({ ...questionOf(board, asked.dimension, also && [also], without), ...asked });

export const askBreakdown = (board: Asking, asked: BreakdownAsked, signal: AbortSignal): Promise<Breakdown> =>
  askRows(board.api, listQuestion(board, asked), signal);

export async function askRows(api: Api, asked: ListQuestion, signal: AbortSignal): Promise<Breakdown> {
  const { search, dimension, page: number = 1, per_page = 10 } = asked;
  if (!search || !isCoded(dimension)) return api.stats.breakdown.query(asked, { signal });
  // The server knows "DE", people search for "Germany": load the whole list and search it by the names shown.
  const whole = { ...asked, page: 1, per_page: MAX_ROWS, search: undefined };
  const answer = await api.stats.breakdown.query(whole, { signal });
  const rows = answer.rows.filter((row) => isNamedLike(dimension, row.name, search));
  return { ...answer, total: rows.length, rows: rows.slice((number - 1) * per_page, number * per_page) };
}

type TrendsAsked = { dimension: Dimension; metric: Metric; names: string[]; also?: Filter };

/** A metric over time for some rows of a list. */
export const askTrends = (board: Asking, { also, ...asked }: TrendsAsked, signal: AbortSignal): Promise<Trends> =>
  board.api.stats.trends.query({ ...alone(questionOf(board, asked.dimension, also && [also])), ...asked }, { signal });

/** Values of all dimensions that contain a text, ignoring the page's filters. Most visitors first. */
export async function findValues(board: Asking, search: string, signal: AbortSignal): Promise<Found[]> {
  if (board.shared?.hasSearch === false) return [];
  const { site_id, period, date_from, date_to } = board.question;
  const span = period === 'custom' ? { date_from, date_to } : {};
  const found = await board.api.stats.search.query({ site_id, period, ...span, search, whole: CODED }, { signal });
  // Ties are broken by the order of the dimensions table, which starts with the best-known ones.
  const known = DIMENSION_NAMES as string[];
  return found
    .filter(({ dimension, name }) => !isCoded(dimension) || isNamedLike(dimension, name, search))
    .sort((a, b) => b.visitors - a.visitors || known.indexOf(a.dimension) - known.indexOf(b.dimension));
}

const isNamedLike = (dimension: Dimension, value: string, search: string): boolean =>
  valueName(dimension, value).toLowerCase().includes(search.toLowerCase());
