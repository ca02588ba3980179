/** @module-tag attack */
// Text that tries to become SQL, at every place where users' text reaches a statement: asked, and stored first and asked later. The answers
// must equal those for the same text taken literally, which a few lines of JavaScript compute.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import type { Site } from '../../server/sites/sites.ts';
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../../server/vocabulary/questions/dimensions.ts';
import { breakdownQuestion, propertiesQuestion, summaryQuestion } from '../../server/stats/query.ts';
import type { PlainFilter } from '../../server/vocabulary/questions/segments.ts';
import { OPERATOR_NAMES } from '../../server/vocabulary/questions/operators.ts';
import { buildProperties, buildSelect, type Select } from '../../server/stats/sql/sql.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { injections } from '../setup/api/sql-injections.ts';
import { showsRefused } from '../setup/run/harness.ts';

const SECRET = 'canary-7d1f0c';
let server: TestApp;
let site: Site;
let canary: Server;
let hits = 0;
let PAYLOADS: string[];
let events: Event[];

/** Dimensions of people's events whose column holds the sender's text unchanged. */
const TEXT_DIMENSIONS = DIMENSION_NAMES.filter(
  (name) =>
    sourceOf(name) === 'events' &&
    !['exit_page', 'entry_page', 'event', 'goal', 'browser_version', 'os_version'].includes(name),
);

beforeAll(async () => {
  canary = createServer((socket) => {
    hits += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => canary.once('listening', resolve));
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  site = await server.addSite('own.example');
  const file = join(server.folder, 'canary.txt');
  await writeFile(file, SECRET);
  PAYLOADS = injections({ file, port: (canary.address() as AddressInfo).port });
  events = PAYLOADS.flatMap((text, index) => visitOf(site.id, text, index));
  events.push(...visitOf(site.id, 'plain', 5));
  const stranger = await server.addSite('other.example');
  await server.app.collector.record([...events, ...visitOf(stranger.id, 'theirs', 4)], server.clock.now);
  await server.settle();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  canary.close();
});

/** A visitor whose every text is `text`: 1 to 3 page views and 1 to 2 events of that name with that property. */
function visitOf(siteId: SiteId, text: string, index: number): Event[] {
  const all = Object.fromEntries(TEXT_DIMENSIONS.map((name) => [name, text]));
  const views = Array.from({ length: 1 + (index % 3) }, () => 'pageview');
  const customs = Array.from({ length: 1 + (index % 2) }, () => text);
  return [...views, ...customs].map((name, step) =>
    makeEvent({
      ...all,
      site_id: siteId,
      visitor: `${siteId.at(-1)}${index}${text === 'plain' ? 'p' : ''}`,
      time: server.clock.now - 3_600_000 + index * 1000 + step,
      name,
      props: name === 'pageview' ? {} : { [text]: text, kind: text },
    }),
  );
}

const isCustom = (event: Event) => event.name !== 'pageview';

/** An event's value of a dimension; undefined where the event has none. */
function valueOf(event: Event, dimension: Dimension): string | undefined {
  if (dimension.startsWith('prop:')) return event.props[dimension.slice('prop:'.length)];
  if (dimension === 'event') return isCustom(event) ? event.name : undefined;
  if (dimension === 'entry_page' || dimension === 'exit_page') return event.page;
  if (dimension === 'browser_version' || dimension === 'os_version') {
    const [name, version] =
      dimension === 'browser_version' ? [event.browser, event.browser_version] : [event.os, event.os_version];
    return version === '' ? name : `${name} ${version}`;
  }
  return event[dimension as keyof Event] as string;
}

type Filter = PlainFilter & { dimension: Dimension };

function matches(value: string | undefined, { operator, values }: Pick<Filter, 'operator' | 'values'>): boolean {
  if (value === undefined) return false;
  const contains = () => values.some((part) => value.toLowerCase().includes(part.toLowerCase()));
  const answers = {
    is: values.includes(value),
    is_not: !values.includes(value),
    contains: contains(),
    contains_not: !contains(),
  };
  return answers[operator];
}

/** All events of a visit are alike here: filters on events and properties keep whole visits, negative ones those without a match. */
function leftBy(asked: Filter): Event[] {
  if (asked.dimension !== 'event' && !asked.dimension.startsWith('prop:'))
    return events.filter((event) => matches(valueOf(event, asked.dimension), asked));
  const isNegative = asked.operator.endsWith('not');
  const operator = asked.operator.startsWith('is') ? 'is' : 'contains';
  const found = events.filter((event) => matches(valueOf(event, asked.dimension), { ...asked, operator }));
  const visitors = new Set(found.map((event) => event.visitor_id));
  return events.filter((event) => visitors.has(event.visitor_id) !== isNegative);
}

const countOf = (list: Event[]) => ({
  pageviews: list.filter((event) => !isCustom(event)).length,
  events: list.filter(isCustom).length,
});

async function totals(filters: Filter[]) {
  const question = summaryQuestion.parse({ site_id: site.id, period: 'today', filters });
  const { metrics } = await server.app.services.stats.summary(question, site, server.clock.now);
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { pageviews: value('pageviews'), events: value('events') };
}

async function names(dimension: Dimension, more: object = {}): Promise<[string, number][]> {
  const asked = { site_id: site.id, period: 'today', dimension, metrics: ['events'], per_page: 1000, ...more };
  const answer = await server.app.services.stats.breakdown(breakdownQuestion.parse(asked), site, server.clock.now);
  return answer.rows.map((row) => [row.name, row.values.events ?? 0]);
}

/** The right answer of a breakdown by a dimension: custom events for each value, most first, ties by their bytes. */
function expectedNames(dimension: Dimension, keep: (value: string) => boolean = () => true): [string, number][] {
  const counts = new Map<string, number>();
  for (const event of events.filter(isCustom)) {
    const value = valueOf(event, dimension);
    if (value !== undefined && keep(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const ASKED: Dimension[] = [
  ...TEXT_DIMENSIONS,
  'entry_page',
  'exit_page',
  'event',
  'browser_version',
  'os_version',
  'prop:kind',
];

describe('60 injections, stored and asked,', () => {
  test('are 60, and different', () => {
    expect(new Set(PAYLOADS).size).toBe(60);
  });

  test.each(ASKED)('as values of a filter by %s mean what they say', async (dimension) => {
    showsRefused('SQL injection', PAYLOADS.length * OPERATOR_NAMES.length);
    const wrong: unknown[] = [];
    const check = async (text: string, index: number): Promise<void> => {
      const asked: Filter = {
        dimension,
        operator: OPERATOR_NAMES[(index + ASKED.indexOf(dimension)) % OPERATOR_NAMES.length] ?? 'is',
        values: index % 2 === 0 ? [text] : [text, 'plain'],
      };
      const found = await totals([asked]);
      const expected = countOf(leftBy(asked));
      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ asked, found, expected });
    };
    // The engine sees each payload at every third place; the test below shows that the statement is the same for all of them at all places.
    const isTurn = (index: number) => dimension === 'page' || (index + ASKED.indexOf(dimension)) % 3 === 0;
    const turns = [...PAYLOADS.entries()].filter(([index]) => isTurn(index));
    await Promise.all(turns.map(([index, text]) => check(text, index)));
    expect(wrong).toEqual([]);
  });

  test.each(ASKED)('as names in a breakdown by %s come back unchanged', async (dimension) => {
    showsRefused('SQL injection', PAYLOADS.length);
    expect(await names(dimension)).toEqual(expectedNames(dimension));
  });

  test('as keys of properties are keys', async () => {
    showsRefused('SQL injection', PAYLOADS.length);
    for (const [index, text] of PAYLOADS.entries()) {
      const dimension: Dimension = `prop:${text.slice(0, 64)}`;
      expect([text, await names(dimension)]).toEqual([text, expectedNames(dimension)]);
      const asked: Filter = { dimension, operator: OPERATOR_NAMES[index % 4] ?? 'is', values: [text] };
      const expected = countOf(leftBy(asked));
      expect([text, await totals([asked])]).toEqual([text, expected]);
    }
  });

  test('as a search find what contains them, and nothing else', async () => {
    showsRefused('SQL injection', PAYLOADS.length);
    for (const [index, search] of PAYLOADS.entries()) {
      const dimension = ASKED[index % ASKED.length] as Dimension;
      const expected = expectedNames(dimension, (value) => value.toLowerCase().includes(search.toLowerCase()));
      expect([dimension, search, await names(dimension, { search })]).toEqual([dimension, search, expected]);
    }
  });

  test('as keys of properties are listed, with filters and without', async () => {
    const ask = async (filters: Filter[]) => {
      const question = propertiesQuestion.parse({ site_id: site.id, period: 'today', filters });
      return (await server.app.services.stats.properties(question, site, server.clock.now)).keys.map(
        ({ name, events: n }) => [name, n],
      );
    };
    const expected = (list: Event[]) => {
      const counts = new Map<string, number>();
      for (const key of list.flatMap((event) => Object.keys(event.props))) counts.set(key, (counts.get(key) ?? 0) + 1);
      return [...counts].sort(([a, x], [b, y]) => y - x || Buffer.compare(Buffer.from(a), Buffer.from(b))).slice(0, 50);
    };
    expect(await ask([])).toEqual(expected(events));
    for (const [index, text] of PAYLOADS.entries()) {
      const asked: Filter = {
        dimension: index % 2 === 0 ? 'source' : `prop:${text.slice(0, 64)}`,
        operator: 'is',
        values: [text],
      };
      expect([text, await ask([asked])]).toEqual([
        text,
        expected(events.filter((event) => matches(valueOf(event, asked.dimension), asked))),
      ]);
    }
  });

  test('are sorted by their bytes, either way', async () => {
    const sorted = expectedNames('page')
      .map(([name]) => name)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const direction of ['asc', 'desc'] as const) {
      const found = await names('page', { order: { by: 'name', direction } });
      expect(found.map(([name]) => name)).toEqual(direction === 'asc' ? sorted : sorted.toReversed());
    }
  });

  test('are compared with another period as names, too', async () => {
    const question = breakdownQuestion.parse({
      site_id: site.id,
      period: 'today',
      dimension: 'event',
      metrics: ['events'],
      compare: 'previous',
      per_page: 100,
    });
    const { rows } = await server.app.services.stats.breakdown(question, site, server.clock.now);
    expect(rows.length).toBe(61);
    expect(rows.every((row) => row.previous?.events === 0)).toBe(true);
  });
});

describe('60 injections at the doors', () => {
  /** Every field of a question that takes text other than values: closed lists, dates, numbers, ids. */
  const FIELDS: Record<string, (text: string) => object> = {
    site_id: (text) => ({ site_id: text }),
    'site_id after a right one': (text) => ({ site_id: `${site.id}${text}` }),
    period: (period) => ({ period }),
    date_from: (date_from) => ({ period: 'custom', date_from, date_to: '2026-11-20' }),
    date_to: (text) => ({ period: 'custom', date_from: '2026-11-20', date_to: `2026-11-20${text}` }),
    compare: (compare) => ({ compare }),
    dimension: (dimension) => ({ dimension }),
    metrics: (metric) => ({ metrics: [metric] }),
    'order.by': (by) => ({ order: { by, direction: 'asc' } }),
    'order.direction': (direction) => ({ order: { by: 'name', direction } }),
    page: (page) => ({ page }),
    per_page: (per_page) => ({ per_page }),
    'filters.dimension': (dimension) => ({ filters: [{ dimension, operator: 'is', values: ['x'] }] }),
    'filters.operator': (operator) => ({ filters: [{ dimension: 'page', operator, values: ['x'] }] }),
    filters: (filters) => ({ filters }),
    'a field that does not exist': (text) => ({ [text]: 1 }),
  };

  test.each(Object.keys(FIELDS))('are refused as %s', async (field) => {
    showsRefused('SQL injection', PAYLOADS.length);
    const cookie = await server.logIn('owner@own.example');
    for (const text of PAYLOADS) {
      const asked = {
        site_id: site.id,
        period: 'today',
        dimension: 'page',
        metrics: ['pageviews'],
        ...FIELDS[field]?.(text),
      };
      const input = encodeURIComponent(JSON.stringify(stringify(asked)));
      const answer = await fetch(`${server.url}/trpc/stats.breakdown?input=${input}`, { headers: { cookie } });
      const body = await answer.text();
      expect([text, answer.status < 500 && answer.status >= 400]).toEqual([text, true]);
      expect(body).not.toMatch(/DB::|Exception|canary-/);
    }
  });

  test('reach no statement through what a browser sends', async () => {
    showsRefused('SQL injection', PAYLOADS.length);
    // 400 if it is longer than a name may be.
    for (const [index, text] of PAYLOADS.entries()) {
      const payload = {
        site: 'own.example',
        name: text,
        url: `https://own.example/${text}?utm_source=${text}`,
        referrer: text,
        props: { [text.slice(0, 64)]: text },
      };
      expect([202, 400]).toContain((await server.foot(payload, { 'x-forwarded-for': `9.9.9.${index}` })).status);
      const unknown = await server.foot({ ...payload, site: text });
      expect([202, 400]).toContain(unknown.status);
    }
    await server.settle();
    expect((await names('event')).length).toBeGreaterThanOrEqual(61);
  });
});

test('no canary was read, called or written', async () => {
  expect(hits).toBe(0);
  expect((await readdir(server.folder)).filter((name) => name.startsWith('canary'))).toEqual(['canary.txt']);
});

test('the reading connection by itself refuses what an injection would want', async () => {
  const { store } = server.app;
  const { port } = canary.address() as AddressInfo;
  const file = join(server.folder, 'canary.txt');
  const refused = [
    `SELECT file('${file}')`,
    `SELECT FILE  ('${file}')`,
    `SELECT \`file\`('${file}')`,
    `SELECT * FROM file('${file}', 'LineAsString')`,
    `SELECT 1 INTO OUTFILE '${file}.out'`,
    `SELECT 1 into/**/outfile '${file}.out'`,
    `SELECT * FROM url('http://127.0.0.1:${port}/', 'LineAsString', 'a String')`,
    `SELECT * FROM remote('127.0.0.1:${port}', system.one)`,
    `SELECT * FROM s3('http://127.0.0.1:${port}/bucket/key', 'CSV', 'a String')`,
    `SELECT * FROM mysql('127.0.0.1:${port}', 'a', 'b', 'c', 'd')`,
    `SELECT * FROM postgresql('127.0.0.1:${port}', 'a', 'b', 'c', 'd')`,
    "SELECT * FROM executable('id', 'TSV', 'a String')",
    `INSERT INTO FUNCTION url('http://127.0.0.1:${port}/', 'CSV', 'a String') SELECT 1`,
    'INSERT INTO events (name) SELECT 1',
    'DROP TABLE events',
    'TRUNCATE TABLE events',
    'SELECT 1 SETTINGS max_execution_time = 0',
    'SET max_memory_usage = 0',
  ];
  for (const sql of refused)
    expect([
      sql,
      await store.query(sql, {}).then(
        () => 'answered',
        () => 'refused',
      ),
    ]).toEqual([sql, 'refused']);
  expect(hits).toBe(0);
  expect((await readdir(server.folder)).filter((name) => name.startsWith('canary'))).toEqual(['canary.txt']);
});

describe('statements', () => {
  const scope = (more: object = {}) => ({
    site_id: 'x',
    currency: 'x',
    max_amount: 1,
    range: { from: 0, to: 1 },
    filters: [],
    ...more,
  });

  test('are the same text whatever is asked: every value is bound', () => {
    const shapes = ASKED.flatMap((dimension) =>
      OPERATOR_NAMES.map((operator) => (text: string): Select => {
        const asked = dimension.startsWith('prop:') ? (`prop:${text}` as Dimension) : dimension;
        return {
          scope: scope({
            site_id: text,
            currency: text,
            filters: [{ dimension: asked, operator, values: [text, text] }],
          }),
          metrics: ['unique_visitors', 'pageviews', 'revenue'],
          by: { dimension: asked },
          search: text,
          labels: [text],
        };
      }),
    );
    const KEYS = { of: 'events', limit: 1, leastVisitors: 0 } as const;
    for (const shape of shapes) {
      const harmless = buildSelect(shape('x')).sql;
      const keys = buildProperties(shape('x').scope, KEYS).sql;
      for (const text of PAYLOADS) {
        expect(buildSelect(shape(text)).sql).toBe(harmless);
        expect(buildProperties(shape(text).scope, KEYS).sql).toBe(keys);
      }
    }
  });

  /**
   * Every expression that is put into SQL, file by file. Each is a row of the metric or dimension tables, a name from a closed list, a
   * checked number, or the placeholder of a bound value. A new one must be one of these, too: text that somebody sent has to be bound.
   */
  const ALLOWED: Record<string, string[]> = {
    'live/restore.ts': [
      'MAX_RESTORED',
      'OLDEST_RESTORED',
      "Object.entries(SIGHTING) .map(([name, sql]) => `${sql} AS ${name}`) .join(', ')",
    ],
    'operator/restore.ts': ['table'],
    'operator/verify.ts': [
      'OF_DAY',
      'OF_ROWS',
      'REPLACED',
      'String(MOST)',
      'table',
      'textOf(inEvents)',
      'textOf(numbers)',
      'when',
      'which', // of the lists above them
    ],
    'queue/writer/orders.ts': ['MAX_REPORTS', 'WHOLE_EVENT', 'OF_ORDERS', "idText('order_id')"],
    'queue/sqlite/lane.ts': ['table'],
    'queue/writer/visits.ts': [
      'LATEST_VISITS',
      'MAX_RESTORED',
      "SHARED_NAMES.map((name) => `any(${name}) AS ${name}`).join(', ')",
      'VISIT_BYTES',
      "['entry_page', ...SHARED_NAMES].map((name) => `length(${name})`).join(' + ')",
      "idText('any(visitor_id)')",
      'name',
      'storedVisits(table)',
      'table',
    ],
    // `n_NAME` are columns named in metrics.ts, and `when` compares days. Days, dimensions, values of filters and the names of runs are bound.
    'stats/days/day-columns.ts': [
      'IN_CURRENCY',
      'IS_PAYMENT',
      'OF_ORDERS',
      'MONEY[name].type',
      'metric',
      'name',
      'prefix',
      'sql.replaceAll(/\\w+/g, (word) => (isOfSide(word) ? `${prefix}${word}` : word))',
      "sqlOf(name) ?? '0'",
    ],
    'stats/days/counted-goals.ts': ['OF_RUN'],
    'stats/days/day-goals.ts': [
      "['label', ...COLUMN_NAMES].join(', ')",
      "['label', ...sums].join(', ')",

      "[...(label ?? []), ...numbersOf(columns, (name) => (isRead(name) ? name : undefined))].join(', ')",
      "[`${bind(label)} AS label`, ...numbersOf(columns, (name) => (isMoney(name) ? name : undefined))].join(', ')",
      'bind(conditionsOf(goals))',
      'bind(named.map(({ label }) => label))',

      'bind(sets.map(({ label }) => label))',
      "counted({ dimension: 'goal', each: 'day' })",
      "counted({ interval: 'day' })",
      'countedEvents({ scope: { ...scope, goals: [] }, metrics: [] }, ofPayments)',
      'countedOn(scope, { sets, bind })',
      'currency',
      "days.join('\\nUNION ALL\\n')",
      'derivedFrom(days, bind)',
      'derivedFrom(imported, bind)',
      'goalsTable(scope, { sets, days, bind })',
      'ids',

      'keys',
      'kind',
      'labels',
      'name',
      'named(goals.map((goal) => conditionsOf([goal])))',
      'names',
      'numbers',
      "numbersOf(columns, () => undefined).join(', ')",
      "numbersOf(columns, (name) => name).join(', ')",
      "parts.join('\\nUNION ALL\\n')",
      'sql',
      "startOfDays('day', 'day')",
      "startOfDays(by.interval, 'day')",
      'sums',
      'table',
      'textOf(named(goals.map(({ name }) => name)))',
      "COLUMN_NAMES.map((name) => `${counts[name] ?? '0'} AS ${name}`).join(', ')",
      "EXPORTED_COUNTS.join(', ')",
      'GOAL_COLUMNS',
      'IMPORTED_KEY',
      'countedByImports(scope, { sets, bind })',
      "counts[name] ?? '0'",
      'goal',
      'isGoal',
      'rest',
    ],
    'stats/days/from-goals.ts': [
      "['*', ...added].join(', ')",
      "[...(by ? ['label'] : []), ...numbers].join(', ')",
      "by ? 'GROUP BY label' : ''",
      'counted',
      'countedEvents(own, counting)',
      "isChart ? 'label, ' : ''",
      'metric',
      'metricSql(metric).ofDays',
      "rates.length > 0 ? joinEveryone(select, { rest, days, bind }) : ''",
      "sources.join('\\nUNION ALL\\n')",
      'sql',
      'visitors',
    ],
    'stats/disclosure/joined-values.ts': [
      'bind([...new Set(each.map(({ one }) => one))])',
      'day',
      'from',
      'isRare',
      'to',
      'value',
    ],
    'stats/disclosure/rare-sql.ts': [
      "['visitor_id', bucket, ...keys].join(', ')",
      "[...labels, 'bucket', visitors].join(', ')",
      'allOf([IN_RANGE, ...conditions, ...where])',
      'decided',
      'derivedFrom(days, bind)',
      'few',
      'groupBy',
      "isFew('rare_visitors', 'most')",
      "isFew(`sumIf(visitors, ${few})`, 'max(visitors)')",
      "metricSql('unique_visitors').sql",
      'most',
      'ofGroups',
      'ofRange',
      'rows',
      'sources',
      "startOfDays('day', 'day')",
      "startOfDays('day', dayOfEvents(scope.range))",
      'startOfGroup(groups, bind)',
      'sumsTable(days)',
      'visitors',
    ],
    'stats/days/day-sums.ts': [
      'LABEL',
      'MONEY[name].sql',
      "['dimension AS part', label, ...numbers].join(', ')",
      "[...counted, ...others].join('\\nUNION ALL\\n')",
      "[...labelsOfSums(by, bind), ...sumNumbers(columns)].join(', ')",
      "[`${textOf('value')} AS value`, ...shown].join(', ')",
      "[`${value} AS value`, ...numbers].join(', ')",
      "[dimension === '' ? \"'' AS label\" : 'label', ...numbers].join(', ')",
      'at',
      'bind(lists.map(({ dimension }) => dimension))',
      'column',
      'counted',
      'countedEvents({ scope, metrics: [], by }, of)',
      "counts.includes(name) ? name : '0'",
      'derivedFrom(days, bind)',
      'derivedFrom(imported, bind)',
      "joined.join(', ')",
      'isUntold',
      'joinedLabel(by, bind)',
      'name',
      "ofOthers.join(', ')",
      'on',
      "startOfDays(by.each, 'day')",
      "startOfDays(by.interval, 'day')",
      'sumOfOthers(name)',
      'sumsTable(days)',
      "textOf('value')",
      'value',
      'when',
    ],
    'stats/days/day-visits.ts': [
      'ENGAGEMENT',
      'PAGEVIEW',
      "PAID.map((name) => `paid.${name} AS ${name}`).join(', ')",
      "['*', ...columns, ...keys].join(', ')",
      "[...labels, ...numbers].join(', ')",
      "[...of.columns, ...numbersOf(columns, (name) => (isMoney(name) ? MONEY[name].sql : undefined))].join(', ')",
      "[...of.columns, ...numbers].join(', ')",
      "allOf(['visit != 0', 'nth = 1', ...(when ? [when] : [])])",
      'allOf([...(of.ofRows ? [rowsListed([of.ofRows], filters)] : []), ...labelConditions(select, of, bind)])',
      'allOf([ofKind(kind, narrowing), ...(when ? [when] : [])])',
      'allOf([where, ...labels])',
      "allOf(filters.narrowing('pageviews').sql)",
      'allOf(having)',
      'allOf(labels)',
      "columns.join(', ')",
      'each',
      'from',
      'groupBy',
      'index',
      "isNarrowed ? `arrayMap(${overSeen(listed, SEEN)}), ` : ''",
      'label',
      'listed',
      "matching('abs(amount) <= {max_amount:Int64}')",
      "matching('abs(amount) > {max_amount:Int64}')",
      'name',
      "names.join(', ')",
      'of.groupBy',
      'others',
      "overSeen(allOf([KINDS[kind] ?? '1', ...sql]), ['name', ...uses])",
      'overSeen(listed, SEEN)',
      'overSeen(matches, uses)',
      'rows',
      "rowsOf(filters, { days, bind, more: ['notEmpty(read.ms)'] })",
      'seenIn([of.ofRows], { read, filters, where, bind })',
      'single',
      'sql',
      'values',
      'visits',
      'when',
      'where',
    ],
    'stats/days/from-days.ts': [
      "[...labels, ...numbersOf(columns, (name) => name)].join(', ')",
      "[...labels, ...shown].join(', ')",
      'counted',
      "labels.join(', ')",
      'list',
      'metric',
      'metricOfDays(metric, counting)',
      'metricSql(metric).sql',
      "shown.join(', ')",
      "sourcesFromDays(select, counting).join('\\nUNION ALL\\n')",
      'total',
      "views.join('\\nUNION ALL\\n')",
    ],
    // `index` counts ranges and alerts; `site`, `currency` and the ends of `which` are placeholders or conditions of a goal or of payments,
    // and `is` is the name of such a condition.
    'stats/answers/alert-counts.ts': [
      'IS_PAYMENT',
      'KIND_SQL.orders',
      'OF_ROWS',
      'currency',
      'index',
      'index + 1',
      'is',
      "isSingle ? '' : `WITH ${named.join(', ')}`",
      'name',
      "named.join(', ')",
      'ofSite',
      "rows.join(', ')",
      "selects.join('\\nUNION ALL\\n')",
      'site',
      'which',
      "within.map((one) => `(${one})`).join(' OR ')",
    ],
    'stats/sql/dimensions.ts': ['key'],
    'stats/disclosure/steps.ts': ['MOMENT_MS', 'condition', 'fewest'],
    'stats/days/figures.ts': [
      "['0', ...starts].join(' + ')",
      "[labels, ...numbers].join(', ')",
      "bucket ?? ''",
      "interval ? 'GROUPING SETS ((period, bucket), (period))' : 'period'",
      'metric',
      'metricOfDays(metric, { days })',
      "sources.join('\\nUNION ALL\\n')",
      'startOfDays(interval, day)',
    ],
    'stats/sql/filters.ts': [
      'IN_RANGE',
      'allOf([IN_RANGE, ...ofVisits])',
      'allOf(alone)',
      'allOf(wanted)',
      'anyMatch',
      'anyOf(names)',
      "columns.join(', ')",
      'condition("\'\'", operator, values)',
      'condition(exit, operator, values)',
      'first.matches',
      'index',
      'matches',
      'rare.dayOfEvents',
      'rows',
      'sql',
      'values',
      'visits',
    ],
    // A step's number and the number of steps are indexes into the funnel's definition.
    'stats/funnels/funnel-sql.ts': [
      'ENGAGEMENT',
      'EXIT_PAGE',
      'GROUPS[funnel.within]',
      'IN_RANGE',
      'Math.floor(by.limit)',
      'Math.floor(limit) + 1',
      'ON_DAYS_AROUND',
      'PAGEVIEW',
      'PAGE_ID',
      'RANK',
      'STEP_BITS',
      'STEP_BITS + 1',
      'VIEW',
      "[...(dimension ? ['label'] : []), ...columns].join(', ')",
      "[...kept, ...followed].join(', ')",
      "[IN_RANGE, 'visit_id != 0', hasViews ? `(name = '${PAGEVIEW}' OR (${counted}))` : counted].join(' AND ')",
      'before',
      "columns.join(', ')",
      'counted',
      'dimension.sql',
      'ends',
      'first',
      "funnel.within === 'day' ? 'countIf(' : 'uniqExactIf(visitor, '",
      'further',
      'furthest',
      'group',
      "hasViews ? 'If' : ''",
      "hasViews ? `, ${counted}` : ''",
      "isEngagement('moment')",
      'isTaken',
      "lastFirst.map((step) => `reached_${step} > 0, ${value(step)}`).join(', ')",
      'later',
      'leftAt',
      'lists',
      'moment',
      "moment.join(' + ')",
      'name',
      'next',
      'ofLast(String)',
      'pages',
      'paths',
      'pathsOf({ scope, funnel, dimension }, bind)',
      'reachedBits(funnel.steps, bind)',
      'rowsOf(dimension)',
      'sql',
      'step',
      'step + 1',
      'step - 1',
      "takes('moment', 1)",
      "takes('moment', step)",
      "takes('taken', 1)",
      'there',
      "timeOf('moment')",
      'value(step)',
      'visits',
      'VISITOR_KEYS',
      "funnel.within === 'day' ? `sumIf(visitor % ${VISITOR_KEYS}` : 'sumDistinctIf(visitor'",
    ],
    'stats/sql/goal-bits.ts': [
      'IS_COUNTED',
      'ON_DAYS_AROUND',
      'bind([...byName.keys()])',
      'bits',
      'bits()',
      'pages',
      'reached',
      'word',
    ],
    'stats/sql/goal-list.ts': [
      "['*', ...totals].join(', ')",
      "['goal AS label', ...summed].join(', ')",
      "['reached AS own', 'visitor_id AS visitor', 'groupBitOr(reached) AS all_reached', ...grouped].join(', ')",
      'allOf(conditions)',
      'bits',
      "counted.join(', ')",
      "goals.idsOf('goals')",
      'groups',
      'known',
      'metric',
      'name',
      'named(where)',
      'rows',
      'sums',
      'VISITOR_KEYS',
      "ofVisitors(name) ? 'count()' : sql",
      'ofVisitors(name) ?? `sumIf(of_group_${name}, own != 0)`',
    ],
    'stats/sql/goals.ts': ['bitsOfReading([{ goal, bit: 0 }], bind)', 'key', 'value'],
    // The limits are constants, and the number of steps is checked by the question's schema.
    'stats/journeys/journey-sql.ts': [
      'END',
      'ENGAGEMENT',
      'FEWEST_VISITS',
      'KIND_SQL.events',
      'KIND_SQL.pageviews',
      "allOf([IN_RANGE, 'visit_id != 0', ...where])",
      "hasVisitors ? ', groupUniqArray(visitor) AS visitors' : ''",
      'inDays(scope.range)',
      'keySql(nodeSql(renamed, bind))',
      'nodeSql(renamed, bind)',
      'pageSql(renamed, bind)',
      'rows',
      'select.limit',
      'starts(bind)',
      'steps - 1',
      'wayOf(select.direction)',
      'VISITOR_KEYS',
      "hasVisitors ? cell : ''",
      'select.fewest',
    ],
    'stats/journeys/journey.ts': ['KIND_SQL.events', 'KIND_SQL.pageviews'],
    'stats/sql/kinds.ts': ['IS_COUNTED', 'IS_ORDER', 'events', 'superseded()', 'which'],
    'stats/days/lists.ts': [
      'bind(Math.max(...lists.map(limitOf)))',
      'counted',
      "listed.join(', ')",
      'metric',
      "numbers.join(', ')",
      "shown.join(', ')",
      "sizes.join(', ')",
      "sources.join('\\nUNION ALL\\n')",
      'String(select.metrics[0])',
    ],
    'stats/sql/metrics.ts': ['IN_CURRENCY', 'IS_PAYMENT', 'column', 'isTold', 'rate', 'starts', 'sum', 'which'],
    'stats/sql/plan.ts': [
      'OF_DAYS[interval](day)',
      'WITHIN_DAY[interval](time, minutesPastHour(range))',
      'cases',
      'day',
      'past',
      'time',
    ],
    'stats/sql/scope.ts': ['ON_DAYS'],
    'stats/answers/search-terms.ts': [
      'IS_FOUND',
      'IS_NAMED',
      'ORDERS[by]',
      'SUMS',
      "direction === 'asc' ? 'ASC' : 'DESC'",
      'onDays',
      'where',
    ],
    'stats/answers/heaviest.ts': ['IN_RANGE', 'dayOfEvents(range)'],
    'stats/answers/purge.ts': ['counted', 'table', 'where'],
    'stats/answers/search.ts': ['EXIT', 'IN_RANGE', 'IS_FOUND', 'hasValue(row)', 'pairs', 'row.sql', 'cellSql()'],
    'stats/answers/ranges.ts': ['FIRST_IMPORTED', 'FIRST_TIME', 'zone === undefined ? FIRST_TIME : FIRST_DAY'],
    'stats/sql/reading-goals.ts': [
      'AT.alone',
      'AT.id',
      'AT.isView',
      'ENGAGEMENT',
      'IS_ENGAGEMENT',
      'MANY',
      'MAY_BE_UNORDERED',
      'OUT_OF_ORDER',
      'SINCE_THEIR_START',
      'alone',
      'bit',
      'exceptions(sql, alone)',
      'first',
      "firsts.join(', ')",
      'isView',
      'known',
      'least',
      'onPage',
      'onPages',
      "row.join(', ')",
      'severalRows',
      'truth',
      'views',
      'visits',
    ],
    'stats/answers/several-sites.ts': ['condition', 'recorded', 'table'],
    'stats/sql/sql.ts': [
      'EXIT_PAGE',
      'IN_RANGE',
      "['*', ...added].join(', ')",
      "[...keys, 'unique_visitors AS everyone'].join(', ')",
      "[...labels, ...counted.map(named), ...more].join(', ')",
      'allOf([...(goals ? [] : [where]), ...conditions])',
      "allOf([where, ...conditions, ...ofViews, 'is_read'])",
      'bits()',
      'bucket',
      "bucket ? 'BY bucket' : `OFFSET ${integer(offset)}`",
      "bucket ? 'bucket, ' : ''",
      "bucket ? 'bucket, label' : 'label'",
      'counted',
      "countedRows(plan, 'events')",
      "countedRows(planOf({ scope, metrics: [metric] }, bind), 'events')",
      'counts',
      "figures.join(', ')",
      'goals ? `(SELECT *, arrayJoin(${goals.idsOf(goals.bits())}) AS goal FROM ${rows} WHERE ${where})` : rows',
      'goals.idsOf(goals.bits())',
      "idsOf('goals')",
      'joinReadViews(readPages)',
      'joinReadViews(views.readPages)',
      "keys.join(', ')",
      'kind',
      "kinds.join(', ')",
      'label',
      'metric',
      "metrics.map((metric) => `${metric} != 0`).join(' OR ')",
      'name',
      'ofGoals',
      'orderBy(select)',
      'reached.where',
      'readings',
      'rows',
      'sql',
      "views.columns.map(named).join(', ')",
      'views.where',
      'visitors',
      'visits',
      'where',
      'VISITOR_KEYS',
      'cellSql()',
      'visitor',
      'when',
    ],
    'stats/days/sum-days.ts': [
      'DIMENSIONS_SQL',
      'HAS_DIMENSIONS',
      'GONE',
      'OF_DAY',
      'OF_ROWS',
      'OF_RUN',
      'REPLACED',
      'String(MAX_DAYS)',
      'UNUSED',
      'table',
    ],
    'stats/days/summed-days.ts': [
      'HAS_DIMENSIONS',
      'IMPORTED_KEY',
      'OF_ROWS',
      'ON_DAYS_AROUND',
      'REPLACED',
      'anyOf(spans)',
      'bind([...new Set(runs.map(({ summing }) => summing))])',
      'bind(own.map((run) => run.summing))',
      'columns',
      'day',
      'dayOfEvents(range)',
      'ofDays',
      "isInUtc ? own : ''",
      'nearDays',
    ],
    'stats/sql/views.ts': [
      'ENGAGEMENT',
      'IS_READ',
      'PAGEVIEW',
      "allOf([IN_RANGE, 'visit_id != 0', `name IN ('${PAGEVIEW}', '${ENGAGEMENT}')`, ...onPages])",
      'countOf(IS_READ)',
      'countOf(`${IS_READ} AND read_scroll >= ${tenth}`)',
      "isMeasured('view')",
      'readViews(onPages)',
      'rows',
      'tenth',
      'view',
      'which',
    ],
    // The name of a file and a day, which comes from the store itself, are quoted.
    'stats/vitals/watched.ts': [
      'HOUR',
      'IS_VISITED',
      'asked.hours',
      'at',
      'id',
      'instant(from)',
      'instant(to)',
      'isOnPage(page, bind)',
      'ofPage(page, bind)',
      'ofPage(what.page, bind)',
      'percentile(vital)',
      'rows',
      'vital',
      'what.vital',
    ],
    'store/archive.ts': [
      'FORMAT',
      'ROWS[table].of(snapshotOf(table))',
      'ROWS[table].sum',
      'dayIn(table)',
      'names',
      'quoted(day)',
      'quoted(file)',
      'snapshotOf(table)',
      'table',
    ],
    'store/cluster-client.ts': ['chosen', 'column', 'inForce', 'some', 'table', 'where'],
    'store/cluster.ts': [
      'LOCAL',
      'database',
      'engine',
      'localOf(source)',
      'localOf(table)',
      'name',
      'on',
      'shardOf(table)',
      'table',
      "table === 'migrations' ? 'name' : 'site_id'",
      'where',
    ],
    'store/columns.ts': ['tables'],
    'store/imported.ts': ['PURGED_TABLES[table]', 'table'],
    'jobs/import-days.ts': [
      "HIT_TABLES.map((table) => broughtTo(table, 'day')).join(' UNION ALL ')",
      'PURGED_TABLES[table]',
      'TAKEN_DAYS[table]',
      "broughtTo('ai_visits', 'event_id', OF_SPAN)",
      "broughtTo('events', 'day, event_id, name, visitor_id', OF_SPAN)",
      'columns',
      'from',
      'table',
      'where',
    ],
    'jobs/importing.ts': ['id', 'table'],
    'store/engine/sessions.ts': ['list(before)', 'mark', "[UNCOMPILED, settings].filter(Boolean).join(', ')"],
    'store/existing-events.ts': ["idText('event_id')", 'table'],
    'stats/sql/grouping-sets.ts': [
      'index',
      'ofKey((_, index) => `toString(key_${index})`)',
      'ofKey(({ part }) => part)',
      'sql',
      "values.flatMap((value, index) => [`grouping(key_${index}) = 0`, sqlOf(value, index)]).join(', ')",
      "values.map((_, index) => `(${[`key_${index}`, ...alsoBy].join(', ')})`).join(', ')",
    ],
    'stats/vitals/conversion.ts': [
      'IN_RANGE',
      'VISITOR_KEYS',
      'converted',
      'good',
      'measuredRows(scope, bind)',
      'poor',
      'reaches(goal, bind)',
      'visits',
      'vital',
    ],
    'stats/errors/new.ts': ['MOST', 'from', 'ofSites'],
    'stats/errors/sql.ts': [
      'COUNTS',
      'MAX_ROWS',
      'cells',
      'columns()',
      'key',
      'limit',
      'per_page',
      'rest',
      'skipped',
      'where',
    ],
    'stats/errors/errors.ts': ['COUNTS', 'column', "startOf(interval, own.range, 'time')"],
    'stats/vitals/now.ts': ['COLUMNS', 'percentile(vital)', 'vital'],
    'stats/vitals/sql.ts': [
      'VITALS[vital].good',
      'VITALS[vital].poor',
      "allOf([IN_RANGE, 'visit_id != 0', ...visits(others, true).where])",
      'day',
      'percentile(vital)',
      'split',
      'vital',
    ],
    'stats/vitals/vitals.ts': [
      'HISTOGRAM_STEPS - 1',
      'MAX_ROWS',
      'allFigures(own, only)',
      'bucketOf(interval, own.range)',
      'cells',
      'columns(bind)',
      'figuresOfSome(vitals)',
      'key',
      'label',
      'limit',
      'only',
      'orderSql(by)',
      'per_page',
      "rest?.(bind) ?? ''",
      'skipped',
      'splitSql(split, bind).label',
      'step',
      'vital',
      'where',
    ],
    'stats/days/write-visits.ts': [
      'ENGAGEMENT',
      'EXIT_PAGE',
      'IN_RANGE',
      'IS_ORDER',
      'KIND_SQL.events',
      'KIND_SQL.pageviews',
      'PAGEVIEW',
      "PAID.join(', ')",
      'READ_VIEWS',
      "SEEN.join(', ')",
      'VIEW_ROWS',
      'VISITOR_KEYS',
      'allOf([IN_RANGE, ...(slices > 1 ? [isOfSlice] : [])])',
      'anyOf([KIND_SQL.pageviews, KIND_SQL.events])',
      'bind(firstNumber(day) + Math.floor((NUMBERS_A_DAY / slices) * slice))',
      'differs',
      'first',
      "isMeasured('view')",
      'name',
      "pageOf('row')",
      "pageOf('view[1]')",
      "values.map(([, sql]) => sql).join(', ')",
      "values.map(([column]) => column).join(', ')",
      "visits.join(', ')",
    ],
    'stats/answers/exported-days.ts': ['table'],
    'stats/answers/exported-rows.ts': [
      'IS_ORDER',
      'ON_DAYS',
      'cellSql(name, column, as)',
      "cells.join(', ')",
      'counted.where',
      'name',
      "names.join(', ')",
      'replaced',
      'table',
    ],
    'stats/answers/sealed-rows.ts': [
      'ON_DAYS',
      "SEALED_SUMS.join(', ')",
      'counted.where',
      'derivedFrom(imported, bind)',
      'name',
      "readColumns(SEALED_COLUMNS[table]).join(', ')",
      "replaced.join(', ')",
      'sums.sql',
      'table',
    ],
    'store/rows.ts': ['READ[type]?.(name) ?? name', 'idText(name)', 'name'],
    // The last one sets values of parameters, each in quotes that nothing can close: see store/literal.ts.
    'store/purged.ts': [
      'COUNTED',
      'IN_SPAN',
      'NEAR_SPAN',
      'OF',
      'PURGED_TABLES[table]',
      'chosen',
      'column',
      'columns',
      "idText('visitor_id')",
      "kept('event_id', 'events')",
      "kept('event_id', table)",
      "kept('visit_id', 'events')",
      'rest',
      'settings()',
      'table',
      'where',
      'ORDERS_AT_ONCE',
      'WHOLE_EVENT',
    ],
  };

  test('are built from closed lists only', async () => {
    const found = await templatesOfSql(new URL('../../server/', import.meta.url).pathname);
    expect(found).toEqual(Object.fromEntries(Object.entries(ALLOWED).map(([file, own]) => [file, own.toSorted()])));
  });

  /** A statement that takes no bound value. The compiler holds the name to those of our own tables. */
  const VACUUM = 'sql`vacuum ${how} ${sql.table(table)}`';

  test('are never built by eval, and use none of the ways around bound values', async () => {
    const root = new URL('../../server/', import.meta.url).pathname;
    for (const file of await sourcesOf(root)) {
      const text = (await readFile(join(root, file), 'utf8')).replace(VACUUM, '');
      expect([file, /\beval\(|\bnew Function\b|node:vm|sql\.(raw|lit|ref|table|id)\b/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ]);
    }
  });
});

async function sourcesOf(root: string): Promise<string[]> {
  const files = await readdir(root, { recursive: true });
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort();
}

/** In files that build statements, any word of SQL marks a template. In all others, where there should be none, only its verbs do. */
const STATEMENTS = /^(stats\/|store\/|queue\/writer\/visits)/;
const WORDS = /\b(SELECT|FROM|WHERE|BY|HAVING|LIMIT|OFFSET|JOIN|AS|IN|AND|WITH|SET)\b|^\w+\(\$|props\[|!= |> 0/;
const VERBS = /\b(SELECT|INSERT INTO|DELETE FROM|ALTER TABLE|DROP|TRUNCATE|GROUP BY|ORDER BY)\b/;

/** Whole numbers, placeholders of bound values, and conditions made of these. */
const SAFE = /^(integer|bind)\([^()]*\)$|^[\w.]+\.join\(' AND '\)$/;

/** The expressions within template text that reads like SQL. */
async function templatesOfSql(root: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const file of await sourcesOf(root)) {
    const source = ts.createSourceFile(file, await readFile(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
    const expressions = new Set<string>();
    const visit = (node: ts.Node): void => {
      if (ts.isTemplateExpression(node)) {
        const text = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('${');
        if ((STATEMENTS.test(file) ? WORDS : VERBS).test(text))
          for (const { expression } of node.templateSpans) {
            const found = expression.getText().replace(/\s+/g, ' ');
            if (!SAFE.test(found)) expressions.add(found);
          }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    if (expressions.size > 0) found[file] = [...expressions].sort();
  }
  return found;
}
