// What a word or a phrase of a question can mean.
import type { Metric } from '../numbers/metrics.ts';
import type { Dimension } from '../questions/dimensions.ts';
import type { FilterDimension } from '../questions/segments.ts';
import type { Interval } from '../time/intervals.ts';

export type NamedValue = { dimension: FilterDimension; value: string };

/** Words that say how the others belong together. */
export type Joint =
  'from' | 'in' | 'on' | 'with' | 'by' | 'not' | 'or' | 'compare' | 'most' | 'contains' | 'begins' | 'rate' | 'filler';

export type Meaning =
  | { kind: 'metric'; metric: Metric }
  /** `isPlural`: a list of its values is meant, unless one of them follows. */
  | { kind: 'dimension'; dimension: Dimension; isPlural: boolean }
  /** A visit must match all of them. */
  | { kind: 'value'; all: readonly NamedValue[] }
  | { kind: 'segment'; id: string }
  | { kind: 'interval'; interval: Interval }
  | { kind: 'comparison'; compare: 'previous' | 'year' | 'none' }
  | { kind: 'joint'; joint: Joint; isAscending?: true };

/**
 * How surely a phrase means this. `own`: our own names. `usual`: other words for them. `site`: names in the site's data. `loose`: words that
 * a name of the site may also be.
 */
export const SURENESS = ['own', 'usual', 'site', 'loose'] as const;
type Sureness = (typeof SURENESS)[number];

export type Entry = { phrase: string; label: string; meaning: Meaning; sureness: Sureness };

/** The names that occur in a site's data, and those that people gave. Numbers of visitors are not needed: most first. */
export type SiteNames = {
  /** `event`: its name also stands for the goal, unless the goal has further conditions. */
  goals: readonly { id: string; name: string; event?: string | undefined }[];
  segments: readonly { id: string; name: string }[];
  values: Partial<Record<Dimension, readonly string[]>>;
  /** The keys of properties. */
  properties: readonly string[];
};
export const NO_NAMES: SiteNames = { goals: [], segments: [], values: {}, properties: [] };
