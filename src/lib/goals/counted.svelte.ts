// The goals of the site with what they counted, for the strip under the figures and for the panel.
import { MAX_GOALS } from '../../../server/vocabulary/limits.ts';
import type { Asks, Breakdown, Goal, Question } from '../api/types';
import type { Board } from '../view/board.svelte';
import { Query } from '../api/query.svelte';
import { rememberNames } from './names';

export type CountedGoal = {
  goal: Goal;
  conversions: number;
  /** The conversions of the comparison period. */
  before: number | undefined;
  visitors: number;
  rate: number;
  revenue: number;
  /** True if the dashboard is filtered by this goal. */
  isChosen: boolean;
};

export class CountedGoals {
  list: Query<Goal[]>;
  counted: Query<Breakdown>;
  #board: Board;

  /** Call it while a component is being set up. */
  constructor(board: Board) {
    this.#board = board;
    const site_id = () => board.site.id;
    this.list = new Query<Goal[]>(() =>
      board.hasPart('goals')
        ? {
            key: site_id(),
            scope: site_id(),
            run: async (signal) => {
              const goals = await board.api.goals.list.query({ site_id: site_id() }, { signal });
              rememberNames(goals);
              return goals;
            },
          }
        : undefined,
    );
    this.counted = new Query<Breakdown>(
      () =>
        this.list.data?.length
          ? { key: JSON.stringify([this.question, this.list.data]), scope: site_id(), run: this.#count }
          : undefined,
      () => board.tick,
    );
  }

  /** Without the filter on goals: under it, the other goals would have nothing to show. */
  question = $derived.by((): Question => {
    const { question } = this.#board;
    return { ...question, filters: (question.filters ?? []).filter(({ dimension }) => dimension !== 'goal') };
  });

  asked = $derived.by((): Asks['stats']['breakdown'] => ({
    ...this.question,
    dimension: 'goal',
    metrics: [
      ...(['conversions', 'converted_visitors', 'conversion_rate'] as const),
      ...(this.#board.hasPart('revenue') ? (['revenue'] as const) : []),
    ],
  }));

  #count = (signal: AbortSignal): Promise<Breakdown> =>
    // all of them
    this.#board.api.stats.breakdown.query({ ...this.asked, per_page: MAX_GOALS }, { signal });

  rows = $derived.by((): CountedGoal[] => {
    const counted = this.counted.data?.rows ?? [];
    const { filters } = this.#board.view;
    return (this.list.data ?? []).map((goal) => {
      const { values, previous } = counted.find(({ name }) => name === goal.id) ?? { values: {}, previous: null };
      return {
        goal,
        conversions: values.conversions ?? 0,
        before: previous ? (previous.conversions ?? 0) : undefined,
        visitors: values.converted_visitors ?? 0,
        rate: values.conversion_rate ?? 0,
        revenue: values.revenue ?? 0,
        isChosen: filters.some(({ dimension, values: ids }) => dimension === 'goal' && ids.includes(goal.id)),
      };
    });
  });

  failed = $derived.by(() => [this.list, this.counted].find((query) => query.state === 'failed'));

  isLoading = $derived.by(
    () => this.list.data === undefined || (this.list.data.length > 0 && this.counted.data === undefined),
  );
}
