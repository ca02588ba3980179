// The further lines of the chart: conversions of goals, and the chosen metric for other segments. Only lines that are switched on are loaded.
import type { Metric } from '../../../server/vocabulary/metrics.ts';
import { ALL_VISITORS } from '../../../server/vocabulary/segments.ts';
import type { Point, Question, Timeseries, Trends } from '../api-types';
import type { Board } from '../board.svelte';
import { Query } from '../query.svelte';
import { type Hue, HUES } from './colours';
import type { FurtherLine } from './series';

/**
 * The chart's own line and what it answers. The further lines answer the same: while the line of another period is loading, its interval is
 * not known.
 */
export type Answered = { series: Timeseries; metric: Metric; question: Question; aiQuestion: Question };
type Known = { id: string; name: string; colour: Hue; isOfGoal: boolean; isOff: boolean };
type OfSegments = { id: string; points: Point[] }[];

export class FurtherLines {
  #board: Board;
  #goals: Query<Trends>;
  #segments: Query<OfSegments>;

  /** Call it while a component is being set up. */
  constructor(board: Board, answered: () => Answered) {
    this.#board = board;
    const interval = () => answered().series.interval;
    const scope = () => `${board.site.id} ${interval()}`;
    this.#goals = new Query<Trends>(
      () => {
        const names = this.#idsOn(true);
        const asked = { ...withoutGoals(answered().question), interval: interval(), names };
        return names.length === 0
          ? undefined
          : {
              key: JSON.stringify(asked),
              scope: scope(),
              run: (signal) =>
                board.api.stats.trends.query({ ...asked, dimension: 'goal', metric: 'conversions' }, { signal }),
            };
      },
      () => board.tick,
    );
    this.#segments = new Query<OfSegments>(
      () => {
        const ids = this.#idsOn(false);
        const { segment: _, versus: __, ...question } = answered().question;
        const asked = { ...question, compare: 'none' as const, metric: answered().metric, interval: interval() };
        const pointsOf = async (id: string, signal: AbortSignal) => {
          const chosen = id === ALL_VISITORS ? {} : { segment: id };
          const { points } = await board.api.stats.timeseries.query({ ...asked, ...chosen }, { signal });
          return { id, points };
        };
        return ids.length === 0
          ? undefined
          : {
              key: JSON.stringify([asked, ids]),
              scope: `${scope()} ${asked.metric}`,
              run: (signal) => Promise.all(ids.map((id) => pointsOf(id, signal))),
            };
      },
      () => board.tick,
    );
  }

  /** The lines of the address that exist on this site. Each keeps its colour while others are switched on and off. */
  known = $derived.by((): Known[] => {
    const { view, goals, segments, segmentName } = this.#board;
    const nameOf = (id: string) => {
      if (id === ALL_VISITORS || segments?.data?.some((segment) => segment.id === id)) return segmentName(id);
      return goals?.data?.find((goal) => goal.id === id)?.name;
    };
    const named = (view.lines ?? []).flatMap((line) => {
      const name = nameOf(line.id);
      return name === undefined ? [] : { ...line, name, isOfGoal: line.id.startsWith('goal_') };
    });
    return named.map((line, index) => ({ ...line, colour: HUES[index] ?? HUES[0] }));
  });

  /** The hues that no line has, for the layers of AI visits. */
  freeHues = $derived.by(() => HUES.slice(this.known.length));

  /** The lines to draw. */
  shown = $derived.by((): FurtherLine[] => {
    const ofGoals = (this.#goals.data?.rows ?? []).map(({ name, values }) => ({
      id: name,
      points: (this.#goals.data?.times ?? []).map((time, index) => ({ time, value: values[index] ?? 0 })),
    }));
    const loaded = [...ofGoals, ...(this.#segments.data ?? [])];
    return this.known.flatMap(({ isOff, ...line }) => {
      const points = loaded.find(({ id }) => id === line.id)?.points;
      return isOff || !points ? [] : { ...line, points };
    });
  });

  failed = $derived.by(() => [this.#goals, this.#segments].filter(({ state }) => state === 'failed'));

  #idsOn(isOfGoal: boolean): string[] {
    return this.known.flatMap((line) => (line.isOfGoal === isOfGoal && !line.isOff ? line.id : []));
  }
}

/** Under a filter on goals, the other goals would have nothing to show. */
function withoutGoals({ versus: _, ...question }: Board['question']) {
  const filters = (question.filters ?? []).filter(({ dimension }) => dimension !== 'goal');
  return { ...question, compare: 'none' as const, filters };
}
