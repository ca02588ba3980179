// What an import holds, told before anything is sent: its days, its totals, and what is not taken.
import { PAGEVIEW } from '../event.ts';
import { dayOf } from '../time/time.ts';
import {
  REJECT_REASONS,
  type ImportBatch,
  type ImportedHit,
  type ImportedSum,
  type Rejected,
  type RejectReason,
} from './import.ts';
import { isServed } from './logs/pages.ts';
import { OF_RATES } from './formats/format.ts';
import type { OpenedImport } from './open.ts';
import { hashOf, newSeed } from './values/hash.ts';
import { type NumberMap, numberMap } from './values/number-map.ts';

const EXAMPLES = 3;
/** Visitors of one day that are told apart. */
const MAX_VISITORS_A_DAY = 200_000;
/** Visitors of all days whose sets are kept. Files are mostly in the order of time, so that days which are past can be let go. */
const MAX_KEPT_VISITORS = 1_000_000;

type Totals = { pageviews: number; visitors: number };
export type ImportReport = {
  format: OpenedImport['format'];
  product: string;
  kind: OpenedImport['kind'];
  /** Numbers of sums that no day tells, so that rates leave all of these days out. */
  untold: (typeof OF_RATES)[number][];
  /** Days of UTC if the file has single hits. */
  days: { from: string; to: string; count: number } | null;
  /** Visitors are the sum of days. Visits of single hits are not known before they are imported, and sums may not tell them: null. */
  totals: Totals & { visits: number | null };
  months: ({ month: string } & Totals)[];
  columns: OpenedImport['columns'];
  left_out: string[];
  rows: number;
  rejected: number;
  reasons: Partial<Record<RejectReason, number>>;
  /** The first three of each reason. */
  examples: Rejected[];
  /** Requests of access logs that were answered with an error or a redirect: only those of AI agents are taken. */
  not_served: number;
  /** True if a day has more visitors than are told apart, or the file is too far from the order of time: there are at least as many. */
  is_estimate: boolean;
};

type Day = Totals & { visits: number };

type Reading = {
  add(batch: ImportBatch): void;
  report(): ImportReport;
  /** Those with totals, or with hits of any kind, in their order. */
  allDays(): string[];
};

export function openReport(opened: OpenedImport): Reading {
  const days = new Map<string, Day>();
  const all = new Set<string>();
  const visitors = visitorCounter();
  const reasons: Partial<Record<RejectReason, number>> = {};
  const examples = new Map<RejectReason, Rejected[]>();
  const told = new Set<string>();
  let rows = 0;
  let rejected = 0;
  let notServed = 0;

  const dayFor = (day: string): Day => {
    const known = days.get(day);
    if (known) return known;
    const fresh = { pageviews: 0, visitors: 0, visits: 0 };
    days.set(day, fresh);
    return fresh;
  };
  const addSum = (sum: ImportedSum) => {
    const day = dayFor(sum.day);
    if (sum.dimension !== '') return;
    all.add(sum.day);
    day.pageviews += sum.pageviews ?? 0;
    day.visitors += sum.visitors;
    day.visits += sum.visits ?? 0;
    for (const name of toldBy(sum)) told.add(name);
  };
  const addHit = (hit: ImportedHit) => {
    const text = dayOf(hit.time);
    all.add(text);
    if (hit.request && !isServed(hit.request.status)) {
      notServed += 1;
      return;
    }
    const day = dayFor(text);
    if (hit.name === PAGEVIEW) day.pageviews += 1;
    if (visitors.isNew(text, visitorOf(hit))) day.visitors += 1;
  };
  const addRejected = (one: Rejected) => {
    rejected += 1;
    reasons[one.reason] = (reasons[one.reason] ?? 0) + 1;
    const shown = examples.get(one.reason) ?? [];
    if (shown.length < EXAMPLES) examples.set(one.reason, [...shown, one]);
  };
  return {
    add(batch) {
      rows += batch.rows;
      for (const sum of batch.sums) addSum(sum);
      for (const hit of batch.hits) addHit(hit);
      for (const one of batch.rejected) addRejected(one);
    },
    report() {
      const { format, product, kind, columns, left_out } = opened;
      const untold = told.size === 0 ? [] : OF_RATES.filter((name) => !told.has(name));
      const isUntold = kind === 'hits' || untold.includes('visits');
      const visits = isUntold ? null : [...days.values()].reduce((sum, day) => sum + day.visits, 0);
      const months = monthsOf(days);
      const totals = { ...addUp(months), visits };
      const shown = REJECT_REASONS.flatMap((reason) => examples.get(reason) ?? []);
      return {
        format,
        product,
        kind,
        untold,
        days: spanOf(days),
        totals,
        months,
        columns,
        left_out,
        rows,
        rejected,
        reasons,
        examples: shown,
        not_served: notServed,
        is_estimate: visitors.isEstimate,
      };
    },
    allDays: () => [...all].sort(),
  };
}

/** A row of events by name tells nothing of visits. */
const toldBy = (sum: ImportedSum) =>
  sum.visitors || sum.pageviews || sum.visits ? OF_RATES.filter((name) => sum[name] !== null) : [];

const visitorOf = ({ request, visitor }: ImportedHit): string =>
  request ? `${request.address} ${request.user_agent}` : visitor;

function spanOf(days: Map<string, Day>): ImportReport['days'] {
  const sorted = [...days.keys()].sort();
  const [from] = sorted;
  const to = sorted.at(-1);
  return from === undefined || to === undefined ? null : { from, to, count: sorted.length };
}

function monthsOf(days: Map<string, Day>): ImportReport['months'] {
  const byMonth = Map.groupBy(days, ([day]) => day.slice(0, 7));
  return [...byMonth]
    .map(([month, entries]) => ({ month, ...addUp(entries.map(([, day]) => day)) }))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
}

function addUp(parts: readonly Totals[]): Totals {
  const totals = { pageviews: 0, visitors: 0 };
  for (const { pageviews, visitors } of parts) {
    totals.pageviews += pageviews;
    totals.visitors += visitors;
  }
  return totals;
}

function visitorCounter() {
  const seed = newSeed();
  const sets = new Map<string, NumberMap>();
  const closed = new Set<string>();
  let kept = 0;
  const close = (day: string) => {
    kept -= sets.get(day)?.size() ?? 0;
    sets.delete(day);
    closed.add(day);
  };
  const setOf = (day: string): NumberMap => {
    const known = sets.get(day);
    if (known) return known;
    const fresh = numberMap();
    sets.set(day, fresh);
    return fresh;
  };
  const counter = {
    isEstimate: false,
    isNew(day: string, visitor: string): boolean {
      if (closed.has(day)) {
        counter.isEstimate = true;
        return false;
      }
      const set = setOf(day);
      const hash = hashOf(visitor, seed);
      if (set.get(hash) !== undefined) return false;
      if (set.size() === MAX_VISITORS_A_DAY) {
        close(day);
        counter.isEstimate = true;
        return false;
      }
      set.set(hash, 1);
      kept += 1;
      if (kept > MAX_KEPT_VISITORS) for (const other of [...sets.keys()]) if (other !== day) close(other);
      return true;
    },
  };
  return counter;
}

/** The report of a sealed export, which says only what its days have in total. */
export function reportOfDays(days: readonly ({ day: string } & Totals)[]): ImportReport {
  const byDay = new Map(days.map(({ day, ...totals }) => [day, { ...totals, visits: 0 }]));
  const months = monthsOf(byDay);
  return {
    format: 'footfall',
    product: 'Footfall',
    kind: 'hits',
    untold: [],
    days: spanOf(byDay),
    totals: { ...addUp(months), visits: null },
    months,
    columns: [],
    left_out: [],
    rows: 0,
    rejected: 0,
    reasons: {},
    not_served: 0,
    examples: [],
    is_estimate: false,
  };
}
