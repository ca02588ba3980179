// A seeded stream of requests to the API, valid in some places and broken in others, and the rules for every answer.
import { Agent, request } from 'node:http';
import { OPERATIONS } from '../../../server/api/rest/operations.ts';
import { REFUSALS } from '../../../server/errors.ts';
import { DIMENSION_NAMES } from '../../../server/vocabulary/questions/dimensions.ts';
import { METRIC_NAMES } from '../../../server/vocabulary/numbers/metrics.ts';
import { OPERATOR_NAMES } from '../../../server/vocabulary/questions/operators.ts';
import { PERIOD_NAMES } from '../../../server/vocabulary/time/periods.ts';
import { NASTY_STRINGS, NASTY_URLS, nastyValue, openRandom, type Random } from './hostile-input.ts';

type Where = { url: string; key: string; siteId: string };
type Shot = { method: string; path: string; headers: Record<string, string>; body: string | undefined };
type FuzzReport = {
  requests: number;
  statuses: Record<number, number>;
  /** Events that were answered as accepted. */
  accepted: number;
  /** Violations, each with its request. */
  wrong: string[];
  slowestMs: number;
};

export async function fuzzRest(where: Where, options: { requests: number; seed: number }): Promise<FuzzReport> {
  const random = openRandom(options.seed);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const report: FuzzReport = { requests: options.requests, statuses: {}, accepted: 0, wrong: [], slowestMs: 0 };
  let left = options.requests;
  const shoot = async () => {
    while (left > 0) {
      left -= 1;
      const shot = aim(random, where, left);
      const from = performance.now();
      const answer = await send(where.url, shot, agent);
      report.slowestMs = Math.max(report.slowestMs, performance.now() - from);
      report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
      const problem = problemOf(answer, shot.method);
      if (problem && report.wrong.length < 20)
        report.wrong.push(`${problem}: ${shot.method} ${shot.path.slice(0, 300)} ${shot.body?.slice(0, 300) ?? ''}`);
      if (answer.status === 202) report.accepted += answer.text.split('"accepted":true').length - 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, shoot));
  agent.destroy();
  return report;
}

function aim(random: Random, { key, siteId }: Where, serial: number): Shot {
  const [path = '', operations = {}] = random.pick(Object.entries(OPERATIONS));
  const [own = 'GET'] = Object.keys(operations);
  const method = random.chance(0.9)
    ? own
    : random.pick(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']);
  const filled = path
    .replace('{site_id}', random.chance(0.5) ? siteId : encode(random.pick(NASTY_STRINGS)))
    .replace(
      '{funnel_id}',
      random.chance(0.5) ? 'funnel_00000000000000000000000000' : encode(random.pick(NASTY_STRINGS)),
    );
  const spoilt = random.chance(0.05) ? `${filled}/${encode(random.pick(NASTY_STRINGS))}` : filled;
  const query = random.chance(0.9) && own === 'GET' ? aimQuery(random, { path, siteId }) : '';
  const body =
    method === 'GET' || method === 'HEAD' || method === 'TRACE' ? undefined : aimBody(random, { path, siteId });
  return {
    method,
    path: query ? `${spoilt}?${query}` : spoilt,
    headers: {
      ...(random.chance(0.97) && { authorization: random.chance(0.98) ? `Bearer ${key}` : `Bearer ff_${serial}` }),
      ...(body !== undefined && random.chance(0.97) && { 'content-type': 'application/json' }),
      ...(body !== undefined &&
        random.chance(0.03) && {
          'content-type': random.pick(['text/plain', 'a/b; c', ';', 'application/json; charset=x']),
        }),
      ...(random.chance(0.1) && {
        'idempotency-key': random.pick([`key-${serial}`, 'two words', 'é', 'x'.repeat(65)]),
      }),
      ...(random.chance(0.05) && { 'if-none-match': random.pick(['*', '"x"', 'W/', ',,,', '"']) }),
      ...(random.chance(0.05) && { accept: 'text/html,'.repeat(50), 'accept-encoding': 'br;q=x' }),
    },
    body,
  };
}

const GOOD: Record<string, (random: Random) => string> = {
  period: (random) => random.pick(PERIOD_NAMES),
  date_from: (random) =>
    random.pick(['2026-11-01', '2026-10-01', '2000-01-01', '2026-02-30', '1999-12-31', '2026-11-20']),
  date_to: (random) => random.pick(['2026-11-20', '2026-11-01', '2030-01-01', '2026-13-01']),
  metric: (random) => random.pick(['pageviews', 'visitors', 'both', 'events']),
  limit: (random) => random.pick(['1', '1000', '1001', '0', '-1', '1e2', '0x1', '١']),
  page: (random) => random.pick(['1', '2', '100000', '999999999999999999', '1.5']),
  per_page: (random) => random.pick(['1', '100', '1000', '101', ' 1']),
  interval: (random) => random.pick(['minute', 'hour', 'day', 'week', 'month', 'year']),
  dimension: (random) => random.pick([...DIMENSION_NAMES, 'prop:plan', 'prop:', `prop:${random.pick(NASTY_STRINGS)}`]),
  compare: (random) => random.pick(['none', 'previous', 'weekdays', 'year', 'custom', 'last']),
  compare_from: (random) => random.pick(['2026-10-01', '2026-02-30']),
  compare_to: (random) => random.pick(['2026-10-20', '2026-09-30']),
  versus: (random) => random.pick(['all', 'segment_0']),
  filters: (random) =>
    JSON.stringify([
      {
        dimension: random.pick([...DIMENSION_NAMES, random.pick(NASTY_STRINGS)]),
        operator: random.pick([...OPERATOR_NAMES, 'like']),
        values: [random.pick(NASTY_STRINGS), '/'],
      },
    ]),
  search: (random) => random.pick(['a', ...NASTY_STRINGS]),
  order: (random) => random.pick(['name:asc', `${random.pick(METRIC_NAMES)}:desc`, 'name']),
  start: (random) => random.pick(['page:/', 'event:signup', 'goal:goal_0', random.pick(NASTY_STRINGS)]),
  direction: (random) => random.pick(['forwards', 'backwards', 'both']),
  steps: (random) => random.pick(['2', '6', '7']),
  by: (random) => random.pick(['device', 'exit_page', 'page', 'prop:plan', 'ai_agent']),
  metrics: (random) => [random.pick(METRIC_NAMES), ...(random.chance(0.5) ? [random.pick(METRIC_NAMES)] : [])].join(),
};

function aimQuery(random: Random, { path, siteId }: { path: string; siteId: string }): string {
  const pairs: [string, string][] = [];
  if (path !== '/v1/sites' && random.chance(0.95))
    pairs.push(['site_id', random.chance(0.9) ? siteId : random.pick(NASTY_STRINGS)]);
  if (path.endsWith('journey')) pairs.push(['start', GOOD['start']?.(random) ?? '']);
  if (path.endsWith('breakdown')) pairs.push(['dimension', GOOD['dimension']?.(random) ?? '']);
  for (const [name, good] of Object.entries(GOOD)) {
    if (!random.chance(0.25)) continue;
    pairs.push([name, random.chance(0.8) ? good(random) : random.pick(NASTY_STRINGS)]);
  }
  if (random.chance(0.3)) {
    const name = random.chance(0.8) ? (GOOD['dimension']?.(random) ?? '') : random.pick(NASTY_STRINGS);
    pairs.push([`filter[${name}]`, random.pick([...NASTY_STRINGS, '/', 'Google'])]);
  }
  if (random.chance(0.05)) pairs.push([random.pick(NASTY_STRINGS), random.pick(NASTY_STRINGS)]);
  if (random.chance(0.05)) pairs.push(random.pick([...pairs, ['filter', 'x'] as [string, string]]));
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return random.chance(0.03) ? `${text}&%zz=%ff&=&&` : text;
}

function aimBody(random: Random, { path, siteId }: { path: string; siteId: string }): string {
  if (random.chance(0.1))
    return random.pick([...NASTY_STRINGS, '{', '[]', 'null', '{"a":', '"'.repeat(100), '['.repeat(10_000)]);
  const one = () => aimEvent(random, siteId);
  if (!path.endsWith('batch')) return JSON.stringify(one());
  const events = Array.from({ length: random.chance(0.9) ? 1 + random.number(3) : random.number(130) }, one);
  return JSON.stringify({
    events: random.chance(0.95) ? events : nastyValue(random),
    ...(random.chance(0.05) && { more: 1 }),
  });
}

function aimEvent(random: Random, siteId: string): Record<string, unknown> {
  const event: Record<string, unknown> = {
    site_id: siteId,
    name: random.pick(['signup', 'plan_upgraded', 'a1_b2']),
    url: random.chance(0.8) ? 'https://fuzz.example/a?utm_source=x' : random.pick(NASTY_URLS),
    ...(random.chance(0.5) && { props: { plan: 'pro', seats: 3 } }),
  };
  const spoil = () => {
    const name = random.pick(['site_id', 'name', 'url', 'props', random.pick(NASTY_STRINGS)]);
    if (random.chance(0.2)) delete event[name];
    else if (name === 'props' && random.chance(0.6)) event[name] = { [random.pick(NASTY_STRINGS)]: nastyValue(random) };
    else event[name] = nastyValue(random);
  };
  while (random.chance(0.35)) spoil();
  return event;
}

/** encodeURIComponent that does not throw for lone surrogates. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

type Answer = { status: number; headers: Record<string, unknown>; text: string };

function send(url: string, shot: Shot, agent: Agent): Promise<Answer> {
  const { method, path, headers, body } = shot;
  return new Promise((resolve, reject) => {
    // Set for every method: Node's client sends a body of DELETE and OPTIONS without a length.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(url + path, { method, headers: { ...headers, ...length }, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function problemOf({ status, headers, text }: Answer, method: string): string | undefined {
  if (status >= 500) return `${status} ${text}`;
  if (headers['x-request-id'] === undefined || headers['ratelimit-limit'] === undefined) return 'headers are missing';
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? undefined : 'a body';
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return `no JSON: ${text.slice(0, 100)}`;
  }
  if (status < 300) return 'data' in body ? undefined : 'no data';
  const { error, message, ...rest } = body;
  const known =
    typeof error === 'string' && Object.hasOwn(REFUSALS, error) ? REFUSALS[error as keyof typeof REFUSALS] : undefined;
  if (known?.status !== status || rest['status'] !== status || Object.keys(rest).length > 1)
    return `wrong error ${text}`;
  if (typeof message !== 'string' || !message.endsWith('.') || message.length > 900) return `wrong message ${text}`;
  return /\n|\.ts\b|SELECT|chdb|zod|node_modules/.test(message) ? `internals are shown: ${text}` : undefined;
}
