// Today's numbers on the wall, beside those of the last minutes.
import { sourceKey } from '../../../server/vocabulary/questions/spellings.ts';
import { MAX_GOALS } from '../../../server/vocabulary/limits.ts';
import type { Breakdown, Goal, Question, Summary } from '../api/types';
import type { FirstSnapshot } from '../live/feed';
import type { Board } from '../view/board.svelte';
import { rememberNames } from '../goals/names';
import { Query } from '../api/query.svelte';
import type { Api } from '../api/client';
import { repeatWhileShown } from '../api/when-shown';

/** The wall shows arrivals at once. Its sums may follow: reading them for each event would keep a busy server busy. */
const EVERY_MS = 2000;
const ALL_COUNTRIES = 300;
/** Rows that fit on the tallest wall. */
export const LISTED = 16;

/** What the wall shows before its own queries have answered, so that its first second is not empty. */
export type First = { site_id: string; snapshot: FirstSnapshot | undefined; today: Summary | undefined };

const questionOf = (site_id: string): Question => ({ site_id, period: 'today', compare: 'previous' });

/** Asks for the last counts before the page is shown. Counts that cannot be loaded yet are asked for again on the page. */
export async function loadFirst(api: Api, site_id: string): Promise<First> {
  const orNothing = () => undefined;
  const [snapshot, today] = await Promise.all([
    api.live.snapshot.query({ site_id }).catch(orNothing),
    api.stats.summary.query(questionOf(site_id)).catch(orNothing),
  ]);
  return { site_id, snapshot, today };
}

export class Today {
  summary: Query<Summary>;
  countries: Query<Breakdown>;
  /** As they were when the wall was opened. They follow what happens only while few are here. */
  pages: Query<Breakdown>;
  /** Only while few are here. */
  sources: Query<Breakdown>;
  goals: Query<Goal[]>;
  #counted: Query<Breakdown>;
  #board: Board;
  #tick = $state('');

  /** Call it while a component is being set up. */
  constructor(board: Board, isCalm: () => boolean) {
    this.#board = board;
    const { stats, goals } = board.api;
    const id = () => board.site.id;
    const about = <O>(run: (signal: AbortSignal) => Promise<O>) => ({ key: id(), scope: id(), run });
    /** Nothing is asked that a link leaves out. */
    const listed = (dimension: 'country' | 'page' | 'source', rows: number) =>
      board.hasDimension(dimension) ? about((signal) => this.#breakdown(dimension, rows, signal)) : undefined;
    const tick = () => this.#tick;
    this.summary = new Query<Summary>(() => about((signal) => stats.summary.query(questionOf(id()), { signal })), tick);
    this.countries = new Query<Breakdown>(() => listed('country', ALL_COUNTRIES), tick);
    this.pages = new Query<Breakdown>(
      () => listed('page', LISTED),
      () => (isCalm() ? this.#tick : undefined),
    );
    this.sources = new Query<Breakdown>(() => listed('source', LISTED), tick);
    this.goals = new Query<Goal[]>(() =>
      board.hasPart('goals')
        ? about(async (signal) => {
            const list = await goals.list.query({ site_id: id() }, { signal });
            rememberNames(list);
            return list;
          })
        : undefined,
    );
    this.#counted = new Query<Breakdown>(
      () => (this.goals.data?.length ? about((signal) => this.#breakdown('goal', MAX_GOALS, signal)) : undefined),
      tick,
    );
    $effect(() => repeatWhileShown(() => (this.#tick = `${board.live.reconnections} ${board.live.stored}`), EVERY_MS));
  }

  #breakdown(
    dimension: 'country' | 'goal' | 'page' | 'source',
    per_page: number,
    signal: AbortSignal,
  ): Promise<Breakdown> {
    const metric = dimension === 'goal' ? ('conversions' as const) : ('unique_visitors' as const);
    const asked = { site_id: this.#board.site.id, period: 'today' as const, compare: 'none' as const };
    return this.#board.api.stats.breakdown.query({ ...asked, dimension, metrics: [metric], per_page }, { signal });
  }

  /** How today's list shows a source: live ones come as they are stored, and unknown ones are stored in lower case. */
  spelled = (source: string): string =>
    this.sources.data?.rows.find(({ name }) => sourceKey(name) === source)?.name ?? source;

  /** The goals that somebody reached today, those reached most often first. Undefined until they are counted. */
  reached = $derived.by(() => {
    const goals = this.goals.data;
    if (!goals || (goals.length > 0 && !this.#counted.data)) return undefined;
    return (this.#counted.data?.rows ?? []).flatMap(({ name, values }) => {
      const goal = goals.find(({ id }) => id === name);
      const conversions = values.conversions ?? 0;
      return goal && conversions > 0 ? [{ key: goal.id, name: goal.name, conversions }] : [];
    });
  });

  get failed(): Query<Goal[]> | Query<Breakdown> | undefined {
    return [this.goals, this.#counted].find((query) => query.state === 'failed');
  }
}
