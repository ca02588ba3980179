// AI visits over time: by provider, next to the visitors that each provider's assistants sent, and which agents are new.
import { providerOf } from '../vocabulary/ai.ts';
import type { Dimension } from '../vocabulary/dimensions.ts';
import type { Interval } from '../vocabulary/intervals.ts';
import type { Metric } from '../vocabulary/metrics.ts';
import type { AiSeriesQuestion, Filter, SummaryQuestion } from './query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import { askTimeseries } from './timeseries.ts';
import { askByLabel, type Asked, comparisonOf, type Days, daysOf, scopeOf } from './values.ts';

export type AiSeries = Days & {
  interval: Interval;
  /** The providers with the most AI visits, in descending order. */
  providers: string[];
  /** `by` holds the AI visits of each of these providers, in the same order. `total` includes all other providers. */
  points: { time: number; total: number; by: number[] }[];
};

export type AiOverTime = AiSeries & {
  /** Most AI visits first. `previous`: the same figures in the previous period. */
  referrals: { provider: string; read: number; sent: number; previous: { read: number; sent: number } }[];
  /** The agents of the period, most AI visits first. */
  agents: {
    agent: string;
    ai_visits: number;
    first_seen: number;
    /** First seen in this period, unless the site had no AI visit before it. */
    is_new: boolean;
  }[];
};

/** Most providers in the chart: more colours could not be told apart. */
const STACKED = 5;
const MAX_LISTED = 1000;

const ASSISTANTS: Filter = { dimension: 'channel', operator: 'is', values: ['AI assistants'] };

export async function askAiOverTime(reader: Reader, asked: Asked<SummaryQuestion>): Promise<AiOverTime> {
  const { question } = asked;
  const range = await askRange(reader, asked);
  const scope = scopeOf(asked, range);
  const [series, agents, firstSeen, referrals] = await Promise.all([
    askAiSeries(reader, asked),
    counts(reader, scope, 'ai_agent'),
    askFirstSeen(reader, question.site_id),
    askReferrals(reader, asked),
  ]);
  const isFirstPeriod = Math.min(...firstSeen.values()) >= range.from;
  return {
    ...series,
    referrals,
    agents: [...agents].map(([agent, ai_visits]) => {
      const first_seen = firstSeen.get(agent) ?? range.from;
      return { agent, ai_visits, first_seen, is_new: !isFirstPeriod && first_seen >= range.from };
    }),
  };
}

export async function askAiSeries(reader: Reader, asked: Asked<AiSeriesQuestion>): Promise<AiSeries> {
  const range = await askRange(reader, asked);
  const read = await counts(reader, scopeOf(asked, range), 'ai_provider');
  const providers = [...read.keys()].slice(0, STACKED);
  const [all, ...each] = await Promise.all([
    askSeries(reader, asked),
    ...providers.map((provider) => askSeries(reader, asked, provider)),
  ]);
  return {
    ...daysOf(range),
    interval: all.interval,
    providers,
    points: all.points.map(({ time, value }, index) => ({
      time,
      total: value,
      by: each.map(({ points }) => points[index]?.value ?? 0),
    })),
  };
}

function askSeries(reader: Reader, asked: Asked<AiSeriesQuestion>, provider?: string) {
  const { question } = asked;
  const own: Filter[] =
    provider === undefined ? [] : [{ dimension: 'ai_provider', operator: 'is', values: [provider] }];
  return askTimeseries(reader, {
    ...asked,
    question: { ...question, metric: 'ai_visits', compare: 'none', filters: [...question.filters, ...own] },
  });
}

/** Returns a metric for each value of a dimension. */
const counts = (reader: Reader, scope: Scope, dimension: Dimension, metric: Metric = 'ai_visits') =>
  askByLabel(reader, { scope, metric, dimension, limit: MAX_LISTED });

/** Pages read by a provider's agents, and visits of people who came from its assistants. No filter applies to both. */
async function askReferrals(reader: Reader, asked: Asked<SummaryQuestion>): Promise<AiOverTime['referrals']> {
  const question: SummaryQuestion = { ...asked.question, filters: [], compare: 'previous' };
  const range = await askRange(reader, { ...asked, question });
  const now = scopeOf({ ...asked, question }, range);
  const before = comparisonOf({ ...asked, question }, range)?.scope;
  const ofAssistants = async (scope: Scope) => {
    const sent = await counts(reader, { ...scope, filters: [ASSISTANTS] }, 'source', 'visits');
    const byProvider = Map.groupBy(sent, ([assistant]) => providerOf(assistant));
    return new Map([...byProvider].map(([name, rows]) => [name, rows.reduce((sum, [, visits]) => sum + visits, 0)]));
  };
  const none = new Map<string, number>();
  const [read, sent, readBefore, sentBefore] = await Promise.all([
    counts(reader, now, 'ai_provider'),
    ofAssistants(now),
    before ? counts(reader, before, 'ai_provider') : none,
    before ? ofAssistants(before) : none,
  ]);
  const all = [...new Set([...read.keys(), ...sent.keys(), ...readBefore.keys(), ...sentBefore.keys()])];
  return all
    .map((provider) => ({
      provider,
      read: read.get(provider) ?? 0,
      sent: sent.get(provider) ?? 0,
      previous: { read: readBefore.get(provider) ?? 0, sent: sentBefore.get(provider) ?? 0 },
    }))
    .sort((a, b) => b.read - a.read || b.sent - a.sent || (a.provider < b.provider ? -1 : 1));
}

/** Returns when each agent first came, in milliseconds. */
async function askFirstSeen(reader: Reader, siteId: string): Promise<Map<string, number>> {
  const rows = await reader.query<{ agent: string; first_seen: number }>(
    'SELECT ai_agent AS agent, toUnixTimestamp64Milli(min(time)) AS first_seen FROM ai_visits WHERE site_id = {site_id:String} GROUP BY agent',
    { site_id: siteId },
  );
  return new Map(rows.map(({ agent, first_seen }) => [agent, Number(first_seen)]));
}
