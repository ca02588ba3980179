// The closed sets of what must be refused, kept and survived, and how a test says which of them it shows. `npm run attacks`, `npm run
// privacy` and `npm run faults` run these tests only, in their long form, as `npm run test:long` does with all others that have one;
// `npm test` runs the short form. `harness-reporter.ts` counts.
import { type RunnerTestCase as Test, TestRunner } from 'vitest';

/** Kinds of attack. Each case is one request, packet, script or file that must not succeed. */
export const ATTACKS = [
  'SQL injection',
  'access to data of other accounts',
  'share link that changes something',
  'share link widened',
  'share link used after its end',
  'stored scripts',
  'formulas in CSV',
  'requests to private addresses',
  'CORS',
  'CSRF',
  'WebSocket',
  'forged addresses',
  'rate limits exceeded',
  'guessing passwords and keys',
  'sessions reused',
  'second factor passed by',
  'codes used twice, late or by another',
  'cookies without protection',
  'open redirects',
  'host headers',
  'path traversal',
  'request smuggling',
  'prototype pollution',
  'slow patterns',
  'cached secrets',
  'timing',
  'plain HTTP',
  'mass assignment',
  'hidden routes',
  'secrets left behind',
  'missing headers',
  'supply chain',
  // found by attacks on the running product
  'data folder readable by others',
  'memory filled by a stranger',
  'flood from one address',
  'share link that holds others up',
  'sign-in denied to its owner',
  'anonymous sockets',
  'single visitors shown',
  'forged currency and amounts',
  'backup that keeps the salt',
  'actions without a log line',
  'deleted rows left in files',
  'domain taken over',
  'links used twice, late or by another',
  'addresses guessed',
  'host headers in mailed links',
] as const;
type Attack = (typeof ATTACKS)[number];

export const PROMISES = [
  'the script uses no cookie, no storage and no fingerprinting API',
  'no address and no raw user agent in the data folder, Redis, logs and backups',
  'visitor ids differ from site to site and from day to day',
  'the salt of a day that is over is gone everywhere',
  'API and export give aggregates only',
  'the script and the server keep to the opt-outs that are promised',
  'bots and AI visits are out of dashboard, CSV and API alike',
  'a deleted site leaves data, queue, dead letters and caches within a minute',
  'purged visits leave every table after 30 days',
  'a share link singles nobody out',
  'nothing that a page says is kept with its measurements',
  'nothing that a page says is kept with its errors',
  'an import keeps nothing that tells a person in its files',
  'an export has no secret, no address and no id that the server uses',
] as const;
type Promised = (typeof PROMISES)[number];

/** Ways in which the engine's process fails. tests/process/engine.test.ts does each to it under load. */
export const ENGINE_FAULTS = [
  'engine killed',
  'engine stopped',
  'engine without memory',
  'engine crashing inside a question',
  'engine without its folder',
  'engine without disk space',
  'engine without its socket',
] as const;
export type EngineFault = (typeof ENGINE_FAULTS)[number];

export const FAULTS = [
  'kill -9 of the server under load',
  'kill -9 while reports and alerts are sent',
  'kill between reading a batch and inserting it',
  'kill between inserting a batch and acknowledging it',
  'kill of a purge after any statement',
  'kill between queueing an event and answering',
  'kill -9 of Redis',
  'Redis stopped for 30 seconds',
  'Redis full',
  'Redis with an evicting policy',
  'Redis flushed, or its consumer group deleted',
  ...ENGINE_FAULTS,
  'disk full for the event store',
  'data folder read-only',
  'second process on the same data folder',
  'one poisoned row among a thousand',
  'SIGTERM under load',
  'writer dead, another one takes over',
  'clock a day ahead, a day back, and midnight under load',
  'salt lost at a restart',
  'geo database missing or damaged',
  '500 connections that send slowly',
  '2,000 half-open sockets',
  'file descriptors used up, then free',
  'external ClickHouse refuses, fails, hangs, or resets after the commit',
  'migration killed half-way',
  'backup while writing, restored on an empty machine',
  'upgrade that is taken back',
  'two versions beside each other',
  'runaway query',
  '1,000 abandoned questions',
  'throw or rejected promise in one handler',
] as const;
type Fault = (typeof FAULTS)[number];

export type Shown = { kind: 'attack'; of: Attack } | { kind: 'promise'; of: Promised } | { kind: 'fault'; of: Fault };

declare module 'vitest' {
  interface TaskMeta {
    shown?: (Shown & { cases: number })[];
  }
}

const isLong = (): boolean => Boolean(process.env['HARNESS']);

/**
 * How many cases the short form of a test tries, and how many the long one. HARNESS names the kind of a long run: `attack`, `promise`,
 * `fault` or `long`. The test's file needs the tag of a kind.
 */
export function sized({ short, long }: { short: number; long: number }): number {
  return isLong() ? long : short;
}

/** The long form of a test takes all of `each`. The short one takes one at each call, in turns, and the one at `start` first. */
export function openTurns<Each>(start = 0): (...each: Each[]) => Each[] {
  let turn = start - 1;
  return (...each) => shareOf(each, { of: each.length, turn: (turn += 1) });
}

/** The long form of a test takes all of `each`. The short one takes every `of`th, from another start with each `turn`: at least one, and all in `of` turns. */
export function shareOf<Each>(each: readonly Each[], { of, turn }: { of: number; turn: number }): Each[] {
  const every = Math.min(of, each.length);
  return each.filter((_, index) => isLong() || index % every === turn % every);
}

/** The long form of a test is repeated on each of `forms`, the short one on the first: what is the same everywhere, contract tests show on all. */
export function formsOf<Form>(forms: readonly Form[]): Form[] {
  return shareOf(forms, { of: forms.length, turn: 0 });
}

/** The seed of a file's random questions: its own, or the SEED of a run that is to draw others. A long run prints it. */
export function seedOf(usual: number): number {
  const seed = Number(process.env['SEED'] ?? usual);
  if (isLong()) console.log(`Random questions with SEED=${seed}`);
  return seed;
}

/** Declares at the start of a test how many cases of an attack it tries and shows to be refused. Its file needs the tag `attack`. */
export function showsRefused(of: Attack, cases = 1): void {
  note({ kind: 'attack', of }, cases);
}

/** The test's file needs the tag `promise`. A promise is kept when all tests that show it pass. */
export function showsKept(of: Promised): void {
  note({ kind: 'promise', of }, 1);
}

/** The test's file needs the tag `fault`. A fault is survived when all tests that show it pass. */
export function showsSurvived(of: Fault): void {
  note({ kind: 'fault', of }, 1);
}

/** A test that is retried declares the same thing twice, but it counts once. */
function note(shown: Shown, cases: number): void {
  const test = TestRunner.getCurrentTest<Test | undefined>();
  if (!test) throw new Error('showsRefused, showsKept and showsSurvived must be called inside a test.');
  const others = (test.meta.shown ?? []).filter(({ kind, of }) => kind !== shown.kind || of !== shown.of);
  test.meta.shown = [...others, { ...shown, cases }];
}
