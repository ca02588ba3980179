// AI visits over time: by provider, next to the visits that each provider's assistants sent, and which agents are new.
import { providerOf } from '../../vocabulary/ai.ts';
import { type Interval, intervalsOf } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { DAY_MS, startOfDay } from '../../vocabulary/time/time.ts';
import { instantAt, UTC } from '../../vocabulary/time/zones.ts';
import { ALWAYS } from '../answer-cache.ts';
import { firstsShownFrom } from '../disclosure/link-rules.ts';
import { isLimited } from '../disclosure/rule.ts';
import type { AiSeriesQuestion, Filter, SummaryQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import { bucketsUntil, checkInterval } from './timeseries.ts';
import { askByLabel, type Asked, comparisonOf, type Days, daysOf, scopeOf } from './values.ts';

export type AiSeries = Days & {
  interval: Interval;
  /** The providers with the most AI visits, in descending order. */
  providers: string[];
  /** `by` holds the AI visits of each of these providers, in the same order. `total` includes all other providers. */
  points: { time: number; total: number; by: number[] }[];
};

/** `sent` is null if it is withheld from the viewers of a share link. */
type Exchange = { read: number; sent: number | null };

/** No filter applies to it, because no filter applies to both AI visits and people. */
type AiProvider = Exchange & {
  provider: string;
  /** The same figures in the comparison period. */
  previous: Exchange | null;
  /** Pages read in each bucket of the period. */
  points: number[];
  /** The same in the comparison period, aligned by index. */
  before: number[] | null;
};

export type AiOverTime = AiSeries & {
  /** Every provider that read pages or sent visits, in the period or in the comparison. Most pages read first. */
  by_provider: AiProvider[];
  /** The agents that first came in the last 30 days of the period, newest first. Empty in the site's own first 30 days of AI visits. */
  new_agents: { agent: string; first_seen: number }[];
};

/** Most providers in the chart: more colours could not be told apart. */
const STACKED = 5;
const MAX_LISTED = 1000;
const NEW_FOR_DAYS = 30;

const ASSISTANTS: Filter = { dimension: 'channel', operator: 'is', values: ['AI assistants'] };

export async function askAiOverTime(reader: Reader, asked: Asked<SummaryQuestion>): Promise<AiOverTime> {
  const range = await askRange(reader, asked);
  const [series, by_provider, new_agents] = await Promise.all([
    askAiSeries(reader, asked),
    askProviders(reader, { ...asked, question: { ...asked.question, filters: [] } }, range),
    askNewAgents(reader, asked, range),
  ]);
  return { ...series, by_provider, new_agents };
}

export async function askAiSeries(reader: Reader, asked: Asked<AiSeriesQuestion>): Promise<AiSeries> {
  const { question, now } = asked;
  const range = await askRange(reader, asked);
  const intervals = intervalsOf(range);
  const interval = checkInterval(question.interval ?? intervals[0], intervals);
  const read = await askReads(reader, scopeOf(asked, range), { interval, now });
  const providers = [...read.values].sort(mostFirst).slice(0, STACKED);
  return {
    ...daysOf(range),
    interval,
    providers: providers.map(([name]) => name),
    points: read.starts.map((time, index) => ({
      time,
      total: sum([...read.values.values()].map((values) => values[index] ?? 0)),
      by: providers.map(([, values]) => values[index] ?? 0),
    })),
  };
}

/** The AI visits of each provider, in each bucket that starts at one of `starts`. */
type Reads = { starts: number[]; values: Map<string, number[]> };

async function askReads(
  { ask }: Reader,
  scope: Scope,
  { interval, now }: { interval: Interval; now: number },
): Promise<Reads> {
  const by = { dimension: 'ai_provider', each: interval } as const;
  const rows = await ask({ scope, metrics: ['ai_visits'], by, limit: MAX_LISTED });
  const starts = bucketsUntil(now, scope.range, { interval, seen: rows.map((row) => Number(row['bucket'])) });
  const at = new Map(starts.map((start, index) => [start, index]));
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const provider = String(row['label']);
    const own = values.get(provider) ?? starts.map(() => 0);
    values.set(provider, own);
    const index = at.get(Number(row['bucket']));
    if (index !== undefined) own[index] = Number(row['ai_visits']);
  }
  return { starts, values };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const mostFirst = ([a, ofA]: [string, number[]], [b, ofB]: [string, number[]]): number =>
  sum(ofB) - sum(ofA) || (a < b ? -1 : 1);

async function askProviders(reader: Reader, asked: Asked<SummaryQuestion>, range: Range): Promise<AiProvider[]> {
  const interval = intervalsOf(range)[0];
  const now = scopeOf(asked, range);
  const comparison = comparisonOf(asked, range);
  // Uncut, so that its line continues past the current time.
  const whole = comparison && { ...comparison.scope, range: comparison.range };
  const nothing: ReadonlyMap<string, number> = new Map();
  const [reads, readsBefore, readBefore, sent, sentBefore] = await Promise.all([
    askReads(reader, now, { interval, now: asked.now }),
    whole && askReads(reader, whole, { interval, now: asked.now }),
    comparison ? askByLabel(reader, { ...ofProviders, scope: comparison.scope }) : nothing,
    askSent(reader, now),
    comparison ? askSent(reader, comparison.scope) : nothing,
  ]);
  const names = [reads.values, readBefore, sent ?? nothing, sentBefore ?? nothing].flatMap((map) => [...map.keys()]);
  return [...new Set(names)]
    .map((provider) => {
      const points = reads.values.get(provider) ?? reads.starts.map(() => 0);
      return {
        provider,
        read: sum(points),
        sent: sent && (sent.get(provider) ?? 0),
        previous: comparison
          ? { read: readBefore.get(provider) ?? 0, sent: sentBefore && (sentBefore.get(provider) ?? 0) }
          : null,
        points,
        before: readsBefore ? (readsBefore.values.get(provider) ?? readsBefore.starts.map(() => 0)) : null,
      };
    })
    .sort((a, b) => b.read - a.read || (b.sent ?? 0) - (a.sent ?? 0) || (a.provider < b.provider ? -1 : 1));
}

const ofProviders = { metric: 'ai_visits', dimension: 'ai_provider', limit: MAX_LISTED } as const;

/** Returns the visits of people from each provider's assistants. Null for viewers of a share link who would learn the minute of a visit. */
async function askSent(reader: Reader, scope: Scope): Promise<Map<string, number> | null> {
  const { rolls, to } = scope.range;
  if (isLimited(reader.rule) && (rolls || to !== startOfDay(to))) return null;
  const sent = await askByLabel(reader, {
    scope: { ...scope, filters: [ASSISTANTS] },
    metric: 'visits',
    dimension: 'source',
    limit: MAX_LISTED,
  });
  const byProvider = Map.groupBy(sent, ([assistant]) => providerOf(assistant));
  return new Map([...byProvider].map(([name, rows]) => [name, sum(rows.map(([, visits]) => visits))]));
}

async function askNewAgents(
  reader: Reader,
  { question, site, now }: Asked<SummaryQuestion>,
  { to, zone }: Range,
): Promise<AiOverTime['new_agents']> {
  const { site_id } = question;
  const sql = `SELECT ai_agent AS agent, toUnixTimestamp64Milli(min(time)) AS first_seen FROM ai_visits
      WHERE site_id = {site_id:String} GROUP BY agent ORDER BY first_seen DESC, agent`;
  const about = { site_id, range: ALWAYS };
  const rows = await reader.remembered(about, { sql, bound: { site_id } }, 'nothing about visitors');
  const seen = rows.map((row) => ({ agent: String(row['agent']), first_seen: Number(row['first_seen']) }));
  const end = Math.min(now, zone === undefined ? to : instantAt(to, zone));
  const since = end - NEW_FOR_DAYS * DAY_MS;
  const isFirstMonth = (seen.at(-1)?.first_seen ?? end) >= since;
  const shownFrom = firstsShownFrom(reader.rule?.link, { now, zone: site.timezone ?? UTC });
  return isFirstMonth
    ? []
    : seen.filter(({ first_seen }) => first_seen >= Math.max(since, shownFrom) && first_seen <= end);
}
