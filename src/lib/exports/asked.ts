// What a list, a chart, a funnel or a journey has asked the server: one question for each answer that it shows. The menu of its numbers makes
// a CSV file and requests to the API of these.
import type { Asks, Goal } from '../api/types.ts';

type Stats = Pick<
  Asks['stats'],
  | 'breakdown'
  | 'timeseries'
  | 'trends'
  | 'week'
  | 'funnel'
  | 'journey'
  | 'aiOverTime'
  | 'aiSeries'
  | 'reading'
  | 'vitals'
  | 'vitalsList'
  | 'vitalsHistogram'
  | 'errors'
>;
export type Questions = Stats & {
  terms: Asks['searchConsole']['terms'];
  /** The goals of the site, also those that nobody reached, with what they counted. */
  goals: { counted: Asks['stats']['breakdown']; all: readonly Pick<Goal, 'id'>[] };
};
export type Kind = keyof Questions;
export type Asked = { [K in Kind]: { kind: K; question: Questions[K] } }[Kind];
