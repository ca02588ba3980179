// Dashboards follow questions: what changed in an answer is pushed to them. An answer is computed once for all followers that ask the same
// with the same access, when events of its site have been stored, and what changed is encoded once for all of them.
import { randomBytes } from 'node:crypto';
import { bytesFor, bytesOfText } from '../process/bounded-memory.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { type Difference, differenceOf, type Json } from './answer-differences.ts';
import { type Message, send } from './broadcast.ts';
import type { Dashboard } from './connection.ts';
import { createThrottle, type Schedule } from './throttle.ts';

const EVERY_MS = 300;
/** Answers move without events too: an hour begins, a comparison reaches further. */
const ANEW_AFTER_MS = 60_000;
/** A dashboard shows about 15 answers, and some more in its lists and dialogs. */
export const MAX_FOLLOWED = 30;
/** The size of a topic and its followers, besides its texts. */
const TOPIC_BYTES = 2000;

type Question = { path: string; input: Json };

/** How questions are answered: as over tRPC. */
export type Answers<Viewer> = {
  /** Whose answers are the same as this viewer's; undefined if the question cannot be followed. `inSteps`: see `SteppedSnapshot`. */
  audienceOf(viewer: Viewer, question: Question, options: { inSteps: boolean }): string | undefined;
  /** Throws a refusal if the viewer may not ask this (any more). */
  ask(dashboard: Dashboard<Viewer>, question: Question, signal: AbortSignal): Promise<Json>;
};

type Options<Viewer> = {
  answers: Answers<Viewer>;
  /** Viewers of share links get at most half of the memory, since they may be anybody. */
  isGuest(viewer: Viewer): boolean;
  now(): number;
  schedule: Schedule;
  /** Says how long a computation takes, whatever the clock is set to meanwhile. */
  stopwatch?: () => number;
  maxBytes?: number;
};

/** `number`: the answer that the follower has. `from`: the first run that began after it started to follow. */
type Follower = { number: number | undefined; from: number };

type Topic<Viewer> = {
  id: string;
  key: string;
  siteId: SiteId;
  question: Question;
  isOfGuests: boolean;
  followers: Map<Dashboard<Viewer>, Follower>;
  /** The last answer. */
  text: string | undefined;
  number: number;
  runs: number;
  ranAt: number;
  tookMs: number;
  ending: AbortController;
};

export type Following<Viewer> = {
  /** The caller has checked that the viewer may see the site. Returns the topic, or null if the question cannot be followed. */
  follow(dashboard: Dashboard<Viewer>, siteId: SiteId, asked: unknown): string | null;
  unfollow(dashboard: Dashboard<Viewer>, topics: unknown): void;
  /** The dashboard follows nothing any more. */
  leave(dashboard: Dashboard<Viewer>, options?: { isTold: boolean }): void;
  /** True if somebody follows a question about the site. */
  isFollowed(siteId: SiteId): boolean;
  /** Events of the site have been stored. */
  stored(siteId: SiteId): void;
  /** Computes answers anew that have not been for a minute. Call it every few seconds. */
  refresh(): void;
  stop(): void;
};

export function openFollowing<Viewer>(options: Options<Viewer>): Following<Viewer> {
  const { answers, isGuest, now, maxBytes = bytesFor('followedAnswers') } = options;
  const topics = openTopics<Viewer>({ maxBytes, now });
  let isStopped = false;

  const runs = openRuns(topics, options);

  return {
    follow(dashboard, siteId, asked) {
      const question = readQuestion(asked);
      if (question?.siteId !== siteId) return null;
      const { path, input } = question;
      const { viewer, inSteps = false } = dashboard.data;
      const audience = answers.audienceOf(viewer, question, { inSteps });
      if (audience === undefined) return null;
      const key = JSON.stringify([audience, path, input]);
      const known = topics.withKey(key);
      if (topics.followedBy(dashboard).length >= MAX_FOLLOWED && !known?.followers.has(dashboard)) return null;
      const isOfGuests = isGuest(viewer);
      if (!known && !topics.hasRoom({ isOfGuests, more: sizeOf(key) })) return null;
      const topic = known ?? topics.begin(key, { siteId, question: { path, input }, isOfGuests });
      const number = question.topic === topic.id && question.number === topic.number ? topic.number : undefined;
      topics.join(dashboard, topic, { number, from: topic.runs + 1 });
      setImmediate(() => !isStopped && runs.ask(topic.id)); // once the dashboard knows the topic
      return topic.id;
    },
    unfollow(dashboard, ids) {
      if (!Array.isArray(ids)) return;
      for (const topic of topics.followedBy(dashboard))
        if ((ids as unknown[]).includes(topic.id)) topics.drop(dashboard, topic);
    },
    leave(dashboard, { isTold } = { isTold: false }) {
      const left = topics.followedBy(dashboard);
      for (const topic of left) topics.drop(dashboard, topic);
      if (isTold && left.length > 0) send([dashboard], [['ended', left.map(({ id }) => id)]]);
    },
    isFollowed: topics.hasSite,
    stored(siteId) {
      for (const { id } of topics.ofSite(siteId)) runs.ask(id);
    },
    refresh() {
      for (const { id, ranAt } of topics.all()) if (Math.abs(now() - ranAt) >= ANEW_AFTER_MS) runs.ask(id);
      runs.sweep();
    },
    stop() {
      isStopped = true;
      for (const { ending } of topics.all()) ending.abort();
      runs.stop();
    },
  };
}

/** Computes the answers of topics anew, by their ids, and tells their followers. */
function openRuns<Viewer>(topics: Topics<Viewer>, options: Options<Viewer>) {
  const { answers, now, schedule, stopwatch = () => performance.now() } = options;

  const runs = createThrottle<string>(
    { everyMs: EVERY_MS, everyMsOf: (id) => 1.5 * (topics.get(id)?.tookMs ?? 0), now, schedule },
    async (id): Promise<void> => {
      const topic = topics.get(id);
      if (!topic) return;
      topic.runs += 1;
      const run = topic.runs;
      topic.ranAt = now();
      const startedAt = stopwatch();
      const answer = await askForAll(topic);
      topic.tookMs = stopwatch() - startedAt;
      if (topics.get(id) !== topic) return;
      const text = answer === undefined ? undefined : JSON.stringify(answer);
      if (text === undefined || !topics.hasRoom({ ...topic, more: bytesOfText(text) - bytesOfText(topic.text ?? '') }))
        return end(topic);
      tell(topic, run, topics.keep(topic, text));
    },
  );

  /** Asks as one of the followers; undefined if the answer cannot be computed. */
  async function askForAll(topic: Topic<Viewer>): Promise<Json | undefined> {
    for (const [dashboard] of topic.followers)
      try {
        return await answers.ask(dashboard, topic.question, topic.ending.signal);
      } catch (error) {
        if (!isOfViewer(error)) return undefined; // whoever asks over HTTP is told, and a bug is in the log
        topics.drop(dashboard, topic);
        send([dashboard], [['ended', [topic.id]]]);
      }
    return undefined;
  }

  function end(topic: Topic<Viewer>): void {
    const message: Message = ['ended', [topic.id]];
    send([...topic.followers.keys()], [message]);
    for (const dashboard of topic.followers.keys()) topics.drop(dashboard, topic);
  }

  return runs;
}

type Topics<Viewer> = ReturnType<typeof openTopics<Viewer>>;

/** What is followed, by whom, and how much memory it takes. */
function openTopics<Viewer>({ maxBytes, now }: { maxBytes: number; now(): number }) {
  const topics = new Map<string, Topic<Viewer>>();
  const keys = new Map<string, string>();
  const ofSites = new Map<SiteId, Set<Topic<Viewer>>>();
  const ofDashboards = new Map<Dashboard<Viewer>, Set<Topic<Viewer>>>();
  const bytes = { all: 0, ofGuests: 0 };

  const count = ({ isOfGuests }: Topic<Viewer>, more: number) => {
    bytes.all += more;
    if (isOfGuests) bytes.ofGuests += more;
  };
  const hasRoom = ({ isOfGuests, more }: { isOfGuests: boolean; more: number }) =>
    bytes.all + more <= maxBytes && (!isOfGuests || bytes.ofGuests + more <= maxBytes / 2);

  /** Returns what has changed; undefined for the first answer. */
  function keep(topic: Topic<Viewer>, text: string): Difference | undefined {
    const before = topic.text;
    if (before === text) return undefined;
    count(topic, bytesOfText(text) - bytesOfText(before ?? ''));
    const difference =
      before === undefined ? undefined : differenceOf(JSON.parse(before) as Json, JSON.parse(text) as Json);
    topic.text = text;
    topic.number += 1;
    return difference;
  }

  function begin(key: string, given: Pick<Topic<Viewer>, 'siteId' | 'question' | 'isOfGuests'>) {
    const topic: Topic<Viewer> = {
      ...given,
      id: randomBytes(6).toString('base64url'),
      key,
      followers: new Map<Dashboard<Viewer>, Follower>(),
      text: undefined,
      number: 0,
      runs: 0,
      ranAt: now(),
      tookMs: 0,
      ending: new AbortController(),
    };
    topics.set(topic.id, topic);
    keys.set(key, topic.id);
    addTo(ofSites, topic.siteId, topic);
    count(topic, sizeOf(key));
    return topic;
  }

  function drop(dashboard: Dashboard<Viewer>, topic: Topic<Viewer>): void {
    if (!topic.followers.delete(dashboard)) return;
    removeFrom(ofDashboards, dashboard, topic);
    if (topic.followers.size > 0) return;
    topic.ending.abort();
    topics.delete(topic.id);
    keys.delete(topic.key);
    removeFrom(ofSites, topic.siteId, topic);
    count(topic, -sizeOf(topic.key) - bytesOfText(topic.text ?? ''));
  }

  return {
    get: (id: string) => topics.get(id),
    withKey: (key: string) => topics.get(keys.get(key) ?? ''),
    hasSite: (siteId: SiteId) => ofSites.has(siteId),
    ofSite: (siteId: SiteId): Iterable<Topic<Viewer>> => ofSites.get(siteId) ?? [],
    followedBy: (dashboard: Dashboard<Viewer>) => [...(ofDashboards.get(dashboard) ?? [])],
    all: () => topics.values(),
    hasRoom,
    keep,
    begin,
    join(dashboard: Dashboard<Viewer>, topic: Topic<Viewer>, follower: Follower): void {
      topic.followers.set(dashboard, follower);
      addTo(ofDashboards, dashboard, topic);
    },
    drop,
  };
}

function tell<Viewer>({ id, text = '', number, followers }: Topic<Viewer>, run: number, difference?: Difference): void {
  const whole: Dashboard<Viewer>[] = [];
  const next: Dashboard<Viewer>[] = [];
  const isShort = difference !== undefined && JSON.stringify(difference).length < text.length;
  for (const [dashboard, follower] of followers) {
    if (follower.from > run || follower.number === number) continue;
    (isShort && follower.number === number - 1 ? next : whole).push(dashboard);
    follower.number = number;
  }
  if (next.length > 0 && difference) send(next, [['moved', id, number, difference]]);
  if (whole.length > 0) send(whole, [['answer', id, number, JSON.parse(text) as Json]]);
}

/** True if the answer was refused to this viewer, who may have lost access a moment ago. */
const isOfViewer = (error: unknown): boolean =>
  error instanceof Refusal && ['not_found', 'forbidden', 'unauthorized'].includes(error.code);

type Read = Question & { siteId: unknown; topic: unknown; number: unknown };

function readQuestion(asked: unknown): Read | undefined {
  if (!Array.isArray(asked)) return undefined;
  const [path, input, topic, number] = asked as unknown[];
  if (typeof path !== 'string' || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { site_id: siteId } = input as Record<string, unknown>;
  return { path, input: input as Json, siteId, topic, number };
}

const sizeOf = (key: string) => TOPIC_BYTES + 2 * bytesOfText(key); // the key and the question

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

function removeFrom<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
