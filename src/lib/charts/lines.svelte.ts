// The further lines of the chart: other metrics, conversions of goals, and the chosen metric for other segments. Only lines that are switched
// on are loaded.
import { type Metric, metricRow, type Unit } from '../../../server/vocabulary/numbers/metrics.ts';
import { ALL_VISITORS } from '../../../server/vocabulary/questions/segments.ts';
import type { Point, Question, Summary, Timeseries, Trends } from '../api/types';
import type { Asked, Questions } from '../exports/asked';
import type { Board } from '../view/board.svelte';
import { figuresOf } from '../dashboard/figures/figures';
import { Query } from '../api/query.svelte';
import { alone } from '../view/question';
import { isOfChart, type Line, MAX_FURTHER_LINES, metricOfLine } from '../view/view';
import { fits, needsRight, rightUnit } from './plot/axes';
import { HUES } from './plot/colours';
import type { FurtherLine } from './plot/series';

/**
 * The chart's own line and what it answers. The further lines answer the same: while the line of another period is loading, its interval is
 * not known.
 */
export type Answered = { series: Timeseries; metric: Metric; question: Question; aiQuestion: Question };
type Kind = 'goal' | 'metric' | 'segment';
type Known = Omit<FurtherLine, 'points'> & { isOff: boolean };
type AskedSeries = { id: string; question: Questions['timeseries'] };
type LoadedSeries = { id: string; points: Point[] }[];

function kindOf(id: string): Kind {
  if (metricOfLine(id)) return 'metric';
  return id.startsWith('goal_') ? 'goal' : 'segment';
}

export class FurtherLines {
  #board: Board;
  #answered: () => Answered;
  #summary: () => Summary | undefined;
  #goals: Query<Trends>;
  #metrics: Query<LoadedSeries>;
  #segments: Query<LoadedSeries>;

  /** Call it while a component is being set up. */
  constructor(board: Board, answered: () => Answered, summary: () => Summary | undefined) {
    this.#board = board;
    this.#answered = answered;
    this.#summary = summary;
    const interval = () => answered().series.interval;
    const scope = () => `${board.site.id} ${interval()}`;
    const seriesOf = (asked: () => AskedSeries[], scopeOf: () => string) =>
      new Query<LoadedSeries>(
        () => {
          const lines = asked();
          const load = async ({ id, question }: AskedSeries, signal: AbortSignal) => {
            const { points } = await board.api.stats.timeseries.query(question, { signal });
            return { id, points };
          };
          return lines.length === 0
            ? undefined
            : {
                key: JSON.stringify(lines),
                scope: scopeOf(),
                run: (signal) => Promise.all(lines.map((line) => load(line, signal))),
              };
        },
        () => board.tick,
      );
    this.#goals = new Query<Trends>(
      () => {
        const asked = this.#askedGoals;
        return (
          asked && {
            key: JSON.stringify(asked),
            scope: scope(),
            run: (signal) => board.api.stats.trends.query(asked, { signal }),
          }
        );
      },
      () => board.tick,
    );
    this.#metrics = seriesOf(() => this.#askedMetrics, scope);
    this.#segments = seriesOf(
      () => this.#askedSegments,
      () => `${scope()} ${answered().metric}`,
    );
  }

  /** The chart's question without its comparison, in the chart's interval. */
  #alone = $derived.by(() => {
    const { question, series } = this.#answered();
    return { ...alone(question), interval: series.interval };
  });

  #askedGoals = $derived.by((): Questions['trends'] | undefined => {
    const names = this.#on('goal').map(({ id }) => id);
    // Under a filter on goals, the other goals would have nothing to show.
    const filters = (this.#alone.filters ?? []).filter(({ dimension }) => dimension !== 'goal');
    return names.length === 0
      ? undefined
      : { ...this.#alone, filters, names, dimension: 'goal', metric: 'conversions' };
  });

  #askedMetrics = $derived.by((): AskedSeries[] =>
    this.#on('metric').map(({ id, metric }) => ({ id, question: { ...this.#alone, metric } })),
  );

  #askedSegments = $derived.by((): AskedSeries[] => {
    const { segment: _, ...question } = this.#alone;
    return this.#on('segment').map(({ id, metric }) => ({
      id,
      question: { ...question, metric, ...(id === ALL_VISITORS ? {} : { segment: id }) },
    }));
  });

  /** The questions behind the lines that are switched on. */
  asked = $derived.by((): Asked[] => [
    ...(this.#askedGoals ? [{ kind: 'trends' as const, question: this.#askedGoals }] : []),
    ...[...this.#askedMetrics, ...this.#askedSegments].map(({ question }) => ({
      kind: 'timeseries' as const,
      question,
    })),
  ]);

  /** The metric of the chart's own line. */
  get #own(): Metric {
    return this.#answered().metric;
  }

  /** The metrics that the chart can show on this site. */
  #metricsOfSite = $derived.by(() => figuresOf(this.#board, this.#summary()));
  /** Those that can be a further line. */
  metrics = $derived.by(() => this.#metricsOfSite.filter((name) => name !== this.#own));

  /** The lines of the address that exist on this site, each with its colour: it keeps that while others are switched on and off. */
  #named = $derived.by(() => {
    const { view } = this.#board;
    const named = (view.lines ?? []).flatMap((line) => {
      const name = this.#nameOf(line.id);
      return name === undefined ? [] : { ...line, name, metric: this.#metricOf(line.id) };
    });
    return named.map((line, index) => ({ ...line, colour: HUES[index] ?? HUES[0] }));
  });

  /** The unit that lines have given to the right axis. */
  right = $derived.by(() => rightUnit(this.#named, this.#own));

  /** The chart's own metric is no further line. Lines that the right axis has no room for are off. */
  known = $derived.by((): Known[] =>
    this.#named.flatMap((line) => {
      if (metricOfLine(line.id) === this.#own) return [];
      return {
        ...line,
        isOfGoal: kindOf(line.id) === 'goal',
        isOff: line.isOff || !fits(line.metric, this.#own, this.right),
      };
    }),
  );

  /** The hues that no line has, for the layers of AI visits. */
  freeHues = $derived.by(() => HUES.filter((hue) => !this.known.some(({ colour }) => colour === hue)));

  /** AI visits are drawn. They are counts, on the right axis. */
  hasAi = $derived.by(() => this.#board.view.ai !== undefined && (this.right ?? 'count') === 'count');

  /** The lines to draw. */
  shown = $derived.by((): FurtherLine[] => {
    const ofGoals = (this.#goals.data?.rows ?? []).map(({ name, values }) => ({
      id: name,
      points: (this.#goals.data?.times ?? []).map((time, index) => ({ time, value: values[index] ?? 0 })),
    }));
    const loaded = [...ofGoals, ...(this.#metrics.data ?? []), ...(this.#segments.data ?? [])];
    return this.known.flatMap(({ isOff, ...line }) => {
      const points = loaded.find(({ id }) => id === line.id)?.points;
      return isOff || !points ? [] : { ...line, points };
    });
  });

  failed = $derived.by(() => [this.#goals, this.#metrics, this.#segments].filter(({ state }) => state === 'failed'));

  /** Any line of the chart may be off, also its own. */
  isOff = (id: string): boolean =>
    [...this.known, ...(this.#board.view.lines ?? [])].find((line) => line.id === id)?.isOff ?? false;

  /** Adds a line, or switches it on. */
  show(id: string): void {
    const { view, go } = this.#board;
    const unit = needsRight(this.#metricOf(id), this.#own) ? metricRow(this.#metricOf(id)).unit : undefined;
    const lines = this.#withRoomFor(unit);
    go({
      ai: (unit ?? 'count') === 'count' ? view.ai : undefined,
      lines: lines.some((line) => line.id === id)
        ? lines.map((line) => (line.id === id ? { id, isOff: false } : line))
        : [...this.#withPlace(lines), { id, isOff: false }],
    });
  }

  showAi(): void {
    const { view, go } = this.#board;
    go({ ai: view.ai ?? { without: [] }, lines: this.#withRoomFor('count') });
  }

  /** The lines of the address. Those of another unit on the right axis are off, since it has room for one unit. */
  #withRoomFor(unit: Unit | undefined): Line[] {
    const others = this.#named.filter(({ metric }) => unit && !fits(metric, this.#own, unit)).map(({ id }) => id);
    return (this.#board.view.lines ?? []).map((line) => (others.includes(line.id) ? { ...line, isOff: true } : line));
  }

  /** Lines that the chart cannot show now give up their places when others need them. */
  #withPlace(lines: Line[]): Line[] {
    const further = lines.filter(({ id }) => !isOfChart(id));
    if (further.length < MAX_FURTHER_LINES) return lines;
    return lines.filter(({ id }) => isOfChart(id) || this.known.some((line) => line.id === id));
  }

  #nameOf(id: string): string | undefined {
    const { goals, segments, segmentName } = this.#board;
    const metric = metricOfLine(id);
    if (metric) return this.#metricsOfSite.includes(metric) ? metricRow(metric).label : undefined;
    if (id === ALL_VISITORS || segments?.data?.some((segment) => segment.id === id)) return segmentName(id);
    return goals?.data?.find((goal) => goal.id === id)?.name;
  }

  #metricOf(id: string): Metric {
    return metricOfLine(id) ?? (kindOf(id) === 'goal' ? 'conversions' : this.#own);
  }

  #on(kind: Kind): Known[] {
    return this.known.filter((line) => kindOf(line.id) === kind && !line.isOff);
  }
}
