// What every part of a dashboard needs to know: which site, what is asked, and how to ask for something else.
import { goto } from '$app/navigation';
import { page } from '$app/state';
import { createContext, getContext, untrack } from 'svelte';
import type { Dimension } from './dimensions';
import type { Live } from './live.svelte';
import { includesNow } from './period';
import type { Breakdown, Order, Properties, Question, Shows, Site, Summary, Timeseries } from './shapes';
import { isRefused, type Api } from './trpc';
import type { Metric } from './metrics';
import { readView, toggleFilter, writeFilter, writeView, type Filter, type Operator, type View } from './view';

type BreakdownAsked = {
  dimension: Dimension;
  metrics: Metric[];
  page?: number;
  per_page?: number;
  search?: string;
  order?: Order;
  also?: Filter;
  without?: Filter;
};

export const isOfAi = (dimension: string): boolean => dimension.startsWith('ai_');

type BoardOptions = { site: () => Site; api: Api; live: Live; shareToken?: string; shows?: Shows };

export class Board {
  readonly api: Api;
  readonly live: Live;
  readonly shareToken: string | undefined;
  /** What a share link shows besides the usual; undefined for members, who see everything. */
  readonly shows: Shows | undefined;
  #site: () => Site;

  constructor(options: BoardOptions) {
    this.api = options.api;
    this.live = options.live;
    this.shareToken = options.shareToken;
    this.shows = options.shows;
    this.#site = options.site;
  }

  view = $derived(readView(page.url.searchParams, Date.now()));

  get site(): Site {
    return this.#site();
  }

  /** Where this dashboard lives: `/DOMAIN` or `/share/TOKEN`. */
  get base(): string {
    return this.shareToken ? `/share/${encodeURIComponent(this.shareToken)}` : `/${this.site.domain}`;
  }

  /** The question about people; filters on AI visits are of another table, and do not touch it. */
  get question(): Question {
    return this.#ask(this.view.filters.filter((filter) => !isOfAi(filter.dimension)));
  }

  get aiQuestion(): Question {
    return this.#ask(this.view.filters.filter((filter) => isOfAi(filter.dimension)));
  }

  #ask(filters: Filter[]): Question {
    const { period, date_from, date_to, compare } = this.view;
    return {
      site_id: this.site.id,
      period,
      ...(period === 'custom' ? { date_from, date_to } : {}),
      compare,
      ...(filters.length > 0 ? { filters } : {}),
    };
  }

  /** Changes when the shown numbers may have: for a range that is over, only after a lost connection, which may have cost an answer. */
  get tick(): string {
    return `${this.live.reconnections} ${includesNow(this.view, Date.now()) ? this.live.stored : ''}`;
  }

  address(change: Partial<View>): string {
    const query = writeView({ ...this.view, ...change }).toString();
    return query ? `${this.base}?${query}` : this.base;
  }

  go = (change: Partial<View>): void => {
    const to = this.address(change);
    if (to !== page.url.pathname + page.url.search) void goto(to, { keepFocus: true, noScroll: true });
  };

  filter = (dimension: Dimension, value: string, operator: Operator = 'is'): void => {
    this.go({ filters: toggleFilter(this.view.filters, { dimension, operator, value }), details: undefined });
  };

  summary = (signal: AbortSignal): Promise<Summary> => this.api.stats.summary.query(this.question, { signal });

  timeseries = async (signal: AbortSignal): Promise<Timeseries> => {
    const { metric, interval } = this.view;
    const asked = { ...this.question, metric };
    const usual = () => this.api.stats.timeseries.query(asked, { signal });
    if (!interval) return usual();
    // An interval that an old link names may not fit the period: the usual one is drawn then.
    return this.api.stats.timeseries
      .query({ ...asked, interval }, { signal })
      .catch((error: unknown) => (isRefused(error) ? usual() : Promise.reject(error)));
  };

  /** The keys of the properties of the events that are asked about. */
  properties = (signal: AbortSignal): Promise<Properties> => this.api.stats.properties.query(this.question, { signal });

  /** `also` narrows one list, on top of what the whole page is filtered by; `without` is a filter of the page that it leaves out. */
  breakdown = ({ also, without, ...asked }: BreakdownAsked, signal: AbortSignal): Promise<Breakdown> => {
    const { filters: ofPage = [], ...question } = isOfAi(asked.dimension) ? this.aiQuestion : this.question;
    const kept = ofPage.filter((filter) => !without || writeFilter(filter) !== writeFilter(without));
    const filters = [...kept, ...(also ? [also] : [])];
    const input = { ...question, ...asked, ...(filters.length > 0 ? { filters } : {}) };
    return this.api.stats.breakdown.query(input, { signal });
  };
}

export const [getBoard, setBoard] = createContext<Board>();

/** The one socket of who is logged in. */
export const LIVE = Symbol('live');
export const useLive = (): Live => getContext<Live>(LIVE);

/** Watches the board's site for as long as the component that calls this is there. */
export function openSite(board: Board): void {
  $effect(() => {
    const { id } = board.site;
    untrack(() => {
      board.live.watch(id);
      // The socket soon says the same; without it the number is there all the same.
      board.api.live.snapshot.query({ site_id: id }).then(
        (snapshot) => board.live.begin(id, snapshot),
        () => undefined,
      );
    });
  });
}
