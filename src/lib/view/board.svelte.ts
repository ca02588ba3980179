// The state that all parts of a dashboard share: the site, the current view and its queries, and how to change the view.
import { goto } from '$app/navigation';
import { page } from '$app/state';
import { createContext, getContext, untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { following } from '../api/page-queries';
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { valueName } from '../formats/dimensions';
import { askedEarly } from './early';
import { furthestStepName } from '../funnels/words';
import type { Live } from '../live/live.svelte';
import type { AskedPeriod, ComparedDates, Comparison } from '../../../server/vocabulary/time/periods.ts';
import { readZone, UTC } from '../../../server/vocabulary/time/zones.ts';
import type { Part } from '../../../server/vocabulary/settings/share-links.ts';
import type { Explained } from './explained';
import { includesNow } from './period';
import type { Shared } from './link-view';
import { aiQuestion, peopleQuestion, seriesQuestion } from './question';
import type { Funnel, Goal, Question, Segment, Shows, Site, Summary, Timeseries } from '../api/types';
import { isRefused, type Api } from '../api/client';
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';
import { recall, remember } from '../browser/storage';
import type { Chapter, OwnArrangement } from '../../../server/vocabulary/settings/arrangement.ts';
import { FURTHEST_STEP } from '../../../server/vocabulary/questions/furthest-step.ts';
import type { Operator } from '../../../server/vocabulary/questions/operators.ts';
import { ALL_VISITORS, type FilterDimension, SEGMENT } from '../../../server/vocabulary/questions/segments.ts';
import type { Query } from '../api/query.svelte';
import { type Filter, metricOfLine, readView, type PanelNames, toggleFilter, type View, writeView } from './view';

/** The storage key of the comparison that was chosen last. */
const COMPARISON = 'comparison';

function rememberComparison({
  compare,
  compare_from = '',
  compare_to = '',
}: Pick<View, 'compare'> & ComparedDates): void {
  if (compare !== 'none') remember(COMPARISON, `${compare} ${compare_from} ${compare_to}`.trim());
}

/** Arrangements that were changed in this tab, by the path of their dashboard. */
export const rearrangements = new SvelteMap<string, OwnArrangement>();

type BoardOptions = {
  site: () => Site;
  api: Api;
  live: Live;
  /** The panels and tabs that an address may name. */
  panelNames: PanelNames;
  shareToken?: string;
  /** What the viewer of a share link can choose. */
  shared?: () => Shared;
};

/** Dimensions of filters whose values each site has of its own. */
const OF_ONE_SITE: readonly FilterDimension[] = [SEGMENT, 'goal', FURTHEST_STEP];

export class Board {
  readonly api: Api;
  readonly live: Live;
  readonly shareToken: string | undefined;
  /** The segments that the viewer may use, while a dashboard is open. */
  segments = $state.raw<Query<Segment[]>>();
  /** The goals of the site, while a dashboard is open. */
  goals = $state.raw<Query<Goal[]>>();
  #refreshed = $state(0);
  #site: () => Site;
  #shared: (() => Shared) | undefined;
  #panelNames: PanelNames;

  constructor(options: BoardOptions) {
    this.api = options.api;
    this.live = options.live;
    this.shareToken = options.shareToken;
    this.#shared = options.shared;
    this.#site = options.site;
    this.#panelNames = options.panelNames;
  }

  /** Increases when a funnel is created outside the funnels panel, which then loads its list again. */
  funnelsMade = $state(0);

  view = $derived.by(() => {
    const today = { now: Date.now(), zone: this.zone };
    const view = readView(page.url.searchParams, today, this.#panelNames);
    return this.shared?.hold(view, today) ?? view;
  });

  /** The reader's own arrangement: members' are kept on the server, those of viewers of a link in their browser. */
  get own(): OwnArrangement {
    return rearrangements.get(this.base) ?? this.site.own_arrangement ?? {};
  }

  /** How the dashboard is arranged for the reader. */
  get arrangement(): OwnArrangement {
    return { ...this.site.arrangement, ...this.own };
  }

  /** True if the chapter is in the list of those that are folded, or hidden. */
  is = (list: 'folded' | 'hidden', chapter: Chapter): boolean => this.arrangement[list]?.includes(chapter) === true;

  /** The chosen tab of a panel, or what else its selects choose: as the address says, or else the reader's last choice. */
  tabOf = (panel: string): string | undefined => this.view.tabs[panel] ?? this.own.tabs?.[panel];

  /** Undefined for members, who see everything. */
  get shared(): Shared | undefined {
    return this.#shared?.();
  }

  /** The extras that a share link shows. */
  get shows(): Shows | undefined {
    return this.shared?.shows;
  }

  /** False for what a share link leaves out. */
  hasPart = (part: Part): boolean => this.shared?.hasPart(part) !== false;

  hasDimension = (dimension: FilterDimension): boolean => this.shared?.hasDimension(dimension) !== false;

  /** True for a period that a share link shows. */
  allows = (asked: AskedPeriod): boolean => this.shared?.allows(asked, { now: Date.now(), zone: this.zone }) !== false;

  /** The time zone of the site's days. A browser that does not know it shows UTC. */
  get zone(): string {
    return readZone(this.site.timezone ?? UTC) ?? UTC;
  }

  /** The number whose card is open. */
  explained = $state.raw<Explained>();

  /** The goal that somebody is about to make; without a definition, they start with an empty form. */
  goalForm = $state.raw<{ goal: GoalDefinition | undefined }>();

  /** What the reader is about to arrange. */
  arranging = $state<'chapters' | 'figures'>();

  openGoalForm = (goal?: GoalDefinition): void => {
    this.goalForm = { goal };
  };

  closeGoalForm = (): void => {
    this.goalForm = undefined;
  };

  get site(): Site {
    return this.#site();
  }

  /** Whether the reader may change the site and what is defined on it. Viewers of a share link have the role of a viewer. */
  get mayEdit(): boolean {
    return this.site.role === 'owner' || this.site.role === 'admin';
  }

  /** The path of this dashboard: `/DOMAIN` or `/share/TOKEN`. */
  get base(): string {
    return this.shareToken ? `/share/${encodeURIComponent(this.shareToken)}` : `/${this.site.domain}`;
  }

  get question(): Question {
    return peopleQuestion(this.view, this.site.id);
  }

  get aiQuestion(): Question {
    return aiQuestion(this.view, this.site.id);
  }

  get segment(): Segment | undefined {
    return this.#segmentOf(this.view.segment);
  }

  #segmentOf(id: string | undefined): Segment | undefined {
    return this.segments?.data?.find((one) => one.id === id);
  }

  /** A segment in the address that does not exist (any more), or that the viewer may not use. */
  get missingSegment(): string | undefined {
    const { segment, versus, filters } = this.view;
    const named = filters.flatMap(({ dimension, values }) => (dimension === SEGMENT ? values : []));
    if (segment) named.push(segment);
    if (versus && versus !== ALL_VISITORS) named.push(versus);
    return this.segments?.data && named.find((id) => !this.#segmentOf(id));
  }

  /** All filters of the view, with those of the chosen segment. */
  get filters(): Filter[] {
    return [...(this.segment?.filters ?? []), ...this.view.filters];
  }

  /** True if the numbers of people are rounded for privacy, and small ones withheld: they look like none. */
  get isRounded(): boolean {
    const isNarrowed = this.filters.length > 0 || this.shared?.rules.filters.length;
    return this.site.is_limited && (Boolean(isNarrowed) || this.view.versus !== undefined);
  }

  segmentName = (id: string): string =>
    id === ALL_VISITORS ? t('All visitors') : (this.#segmentOf(id)?.name ?? t('Unknown segment'));

  /** A filter's value in words. */
  nameOf = (dimension: FilterDimension, value: string): string =>
    dimension === SEGMENT
      ? this.segmentName(value)
      : dimension === FURTHEST_STEP
        ? furthestStepName(this.funnels, value)
        : valueName(dimension, value);

  #funnels = new SvelteMap<string, Funnel[]>();

  /** The funnels of the site, once somebody has loaded them. */
  get funnels(): Funnel[] | undefined {
    return this.#funnels.get(this.site.id);
  }

  loadFunnels = async (signal?: AbortSignal): Promise<Funnel[]> => {
    const site_id = this.site.id;
    const list = await this.api.funnels.list.query({ site_id }, signal && { signal });
    this.#funnels.set(site_id, list);
    return list;
  };

  /** Changes when the numbers shown may have changed. For a past range, only after a reconnection, because an answer may have been lost. */
  get tick(): string {
    const stored = includesNow(this.view, Date.now(), this.zone) ? this.live.stored : '';
    return `${this.live.reconnections} ${this.#refreshed} ${stored}`;
  }

  /** Call it after a change to a segment, because the same address then means other numbers. */
  refresh(): void {
    following.changedAt = performance.now();
    this.#refreshed += 1;
  }

  address(change: Partial<View>): string {
    return this.#at(this.base, change);
  }

  /** The address of another page that keeps the current view, except for an open list. */
  linkTo(path: string): string {
    return this.#at(path, { details: undefined });
  }

  /** The dashboard of another site. Segments, goals and funnels are left out, because each site has its own. */
  otherSite(domain: string): string {
    const filters = this.view.filters.filter(({ dimension }) => !OF_ONE_SITE.includes(dimension));
    return this.#at(`/${domain}`, {
      details: undefined,
      segment: undefined,
      versus: undefined,
      lines: this.view.lines?.filter(({ id }) => metricOfLine(id)),
      filters,
    });
  }

  #at(path: string, change: Partial<View>): string {
    const query = writeView({ ...this.view, ...change }).toString();
    return query ? `${path}?${query}` : path;
  }

  /** `replaces` adds no history entry, for changes made while typing. */
  go = (change: Partial<View>, { replaces = false } = {}): void => {
    const to = this.address(change);
    if (to !== page.url.pathname + page.url.search)
      void goto(to, { keepFocus: true, noScroll: true, replaceState: replaces });
  };

  compare = (compare: Comparison, dates: ComparedDates = {}): void => {
    rememberComparison({ compare, ...dates });
    this.go({ compare, ...dates, versus: undefined });
  };

  /** Turns the comparison off, or on again with the last choice. */
  toggleComparison = (): void => {
    rememberComparison(this.view);
    if (this.view.versus) return this.go({ versus: undefined, compare: 'none' });
    if (this.view.compare !== 'none') return this.go({ compare: 'none' });
    const [compare = '', compare_from, compare_to] = recall(COMPARISON)?.split(' ') ?? [];
    // An unknown comparison or invalid days become the default when the address is read.
    this.go({ compare: compare as Comparison, compare_from, compare_to });
  };

  filter = (dimension: FilterDimension, value: string, operator: Operator = 'is'): void => {
    this.go({ filters: toggleFilter(this.view.filters, { dimension, operator, value }), details: undefined });
  };

  summary = (signal: AbortSignal): Promise<Summary> =>
    askedEarly(this.question, () => this.api.stats.summary.query(this.question, { signal }));

  timeseries = (signal: AbortSignal): Promise<Timeseries> => {
    const asked = seriesQuestion(this.view, this.site.id);
    const usual = () => {
      const { interval: _, ...question } = asked;
      return this.api.stats.timeseries.query(question, { signal });
    };
    // An old link may name an interval that does not fit the period. The default one is used then.
    return askedEarly(asked, () => this.api.stats.timeseries.query(asked, { signal })).catch((error: unknown) =>
      asked.interval && isRefused(error) ? usual() : Promise.reject(error),
    );
  };
}

export const [getBoard, setBoard] = createContext<Board>();

/** The socket of the logged-in user, one for all pages. */
export const LIVE = Symbol('live');
export const useLive = (): Live => getContext<Live>(LIVE);

/** Watches the board's site while the calling component is mounted. */
export function openSite(board: Board): void {
  const id = $derived(board.site.id);
  $effect(() => {
    void id;
    untrack(() => {
      board.live.watch(id);
      if (!board.hasPart('live')) return;
      // The socket will soon send the same; this shows a number even without it.
      board.api.live.snapshot.query({ site_id: id }).then(
        (snapshot) => board.live.begin(id, snapshot),
        () => undefined,
      );
    });
  });
}
