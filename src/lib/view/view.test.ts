import { describe, expect, it } from 'vitest';
import { metricsOf } from '../../../server/vocabulary/numbers/metrics.ts';
import { PANEL_NAMES } from '../panels/panel-names';
import {
  lineOfMetric,
  metricOfLine,
  readView,
  toggleFilter,
  writeFilter,
  writeView,
  type Filter,
  type PanelNames,
  type View,
} from './view';

const NOW = Date.UTC(2026, 10, 21, 12);
const read = (query: string, panelNames: PanelNames = PANEL_NAMES) =>
  readView(new URLSearchParams(query), { now: NOW, zone: 'UTC' }, panelNames);

const USUAL: View = {
  period: 'today',
  compare: 'previous',
  filters: [],
  metric: 'unique_visitors',
  interval: undefined,
  details: undefined,
  tabs: {},
};

describe('the address', () => {
  it('is bare for the default view', () => {
    expect(read('')).toEqual(USUAL);
    expect(writeView(USUAL).toString()).toBe('');
  });

  it('holds everything that the page shows, and is read back unchanged', () => {
    const view: View = {
      period: 'custom',
      date_from: '2026-10-01',
      date_to: '2026-10-07',
      compare: 'year',
      filters: [
        { dimension: 'country', operator: 'is', values: ['DE', 'FR'] },
        { dimension: 'page', operator: 'contains_not', values: ['/a,b', '/c:d', '/50%'] },
        { dimension: 'prop:plan', operator: 'is_not', values: [''] },
        { dimension: 'furthest_step', operator: 'is', values: ['funnel_0123456789ABCDEFGHJKMNPQRS:2'] },
      ],
      metric: 'bounce_rate',
      interval: 'hour',
      details: 'referrer',
      search: 'news, a=b',
      order: { by: 'visits', direction: 'asc' },
      row: '',
      tabs: { sources: 'referrer', devices: 'os' },
      chartType: 'bars',
      hasTable: true,
      lines: [
        { id: 'metric_visit_duration', isOff: false },
        { id: 'goal_0123456789ABCDEFGHJKMNPQRS', isOff: false },
        { id: 'segment_0123456789ABCDEFGHJKMNPQRS', isOff: true },
        { id: 'before', isOff: true },
      ],
      ai: { without: ['OpenAI', 'A,B: 50%'] },
      journey: { start: { kind: 'page', value: '/a:b?c=d&e' }, direction: 'backwards', steps: 6 },
    };
    expect(read(writeView(view).toString())).toEqual(view);
  });

  it('holds every metric of the chart as a further line, at most four, and no other', () => {
    for (const metric of metricsOf('events'))
      expect(read(`lines=-${lineOfMetric(metric)}`).lines, metric).toEqual([{ id: `metric_${metric}`, isOff: true }]);
    for (const name of ['ai_visits', 'nothing', 'constructor', ''])
      expect(read(`lines=metric_${name}`).lines, name).toBeUndefined();
    const many = ['metric_visits', 'metric_visits', 'goal_A', 'segment_B', 'metric_events', 'metric_revenue', 'goal_C'];
    expect(read(`lines=${many.join()}`).lines?.map(({ id }) => id)).toEqual([
      'metric_visits',
      'goal_A',
      'segment_B',
      'metric_events',
    ]);
    expect(metricOfLine('metric_visits')).toBe('visits');
    expect(metricOfLine('goal_visits')).toBeUndefined();
  });

  it('holds the days of a custom comparison, unless they are invalid or the period is a rolling one', () => {
    const view: View = { ...USUAL, compare: 'custom', compare_from: '2026-01-05', compare_to: '2026-01-11' };
    expect(writeView(view).toString()).toBe('compare=custom&compare_from=2026-01-05&compare_to=2026-01-11');
    expect(read(writeView(view).toString())).toEqual(view);
    for (const query of [
      'compare=custom',
      'compare=custom&compare_from=2026-01-11&compare_to=2026-01-05',
      'compare=custom&compare_from=2026-01-05&compare_to=2099-01-11',
    ])
      expect(read(query), query).toEqual(USUAL);
    expect(read('period=24h&compare=custom&compare_from=2026-01-05&compare_to=2026-01-11').compare).toBe('previous');
  });

  it('holds a segment, the one that it is compared with, and filters by segment', () => {
    const view: View = {
      ...USUAL,
      segment: 'segment_0123456789ABCDEFGHJKMNPQRS',
      versus: 'all',
      filters: [{ dimension: 'segment', operator: 'is_not', values: ['segment_A', 'segment_B'] }],
    };
    expect(writeView(view).get('compare')).toBe('all');
    expect(read(writeView(view).toString())).toEqual(view);
    const { segment: _, ...all } = view;
    for (const itself of [all, { ...view, versus: view.segment }]) expect(writeView(itself).get('compare')).toBeNull();
    expect(read('compare=segment_A')).toEqual({ ...USUAL, versus: 'segment_A' });
    // If an unknown segment were ignored, the page would show all visitors under an address that means others.
    expect(read('segment=x').segment).toBe('x');
    expect(read('f=contains:segment:x').filters).toEqual([]);
  });

  it('ignores what it does not understand, and says so of what chooses numbers', () => {
    for (const query of [
      'period=fortnight',
      'period=custom&date_from=2026-10-09&date_to=2026-10-01',
      'period=custom&date_from=2026-02-30&date_to=2026-03-01',
      'period=custom&date_from=2026-11-01&date_to=2027-01-01',
      'compare=toString',
      'metric=constructor',
      'metric=ai_visits',
      'interval=second',
      'f=is:password:1',
      'f=equals:page:/',
      'f=is:page',
      'f=contains:segment:x',
      'f=<b>',
    ])
      expect(read(query), query).toEqual({ ...USUAL, unread: query.replace('f=', '').split('&') });
    for (const query of [
      'details=password',
      'details=password&search=x&sort=visits:asc&row=/',
      'search=x&sort=visits:asc&row=/',
      'f=',
      'period=&compare=&metric=&interval=',
    ])
      expect(read(query), query).toEqual(USUAL);
  });

  it('either reads a filter or names it, and forgets the unread ones when it is written', () => {
    const parts = [
      ['is', 'contains', 'has', '', '<b>'],
      ['page', 'prop:a', 'segment', '%', '__proto__', ''],
      ['/', 'a,b:c', '%', ''],
    ];
    const texts = parts.reduce<string[]>(
      (all, some) => (all.length ? all.flatMap((one) => some.map((two) => `${one}:${two}`)) : some),
      [],
    );
    for (const text of [...texts, ...texts.map((one) => one.replace(/:[^:]*$/, ''))]) {
      const view = read(String(new URLSearchParams({ f: text })));
      expect([view.filters.length, view.unread ?? []], text).toEqual(view.filters.length ? [1, []] : [0, [text]]);
      expect(read(writeView(view).toString()), text).toEqual({ ...view, unread: undefined });
    }
    const together = read(String(new URLSearchParams(texts.map((text) => ['f', text]))));
    expect(together.filters).toHaveLength(texts.length - (together.unread?.length ?? 0));
  });
});

it('names only panels that exist', () => {
  const given = { panels: ['weather'], lists: ['sun'] };
  expect(read('weather=rain&sources=referrer&details=sun', given)).toEqual({
    ...USUAL,
    details: 'sun',
    tabs: { weather: 'rain' },
  });
  expect(read('details=assistants', given)).toEqual(USUAL);
});

it('keeps a list inside one value open only while the filters name that value', () => {
  const google: Filter = { dimension: 'source', operator: 'is', values: ['Google'] };
  const tabs = { sources: 'source.referrer', events: 'prop:a.b' };
  const tabsOf = (view: Partial<View>) => read(writeView({ ...USUAL, tabs, ...view }).toString()).tabs;
  expect(tabsOf({ filters: [google] })).toEqual(tabs);
  expect(tabsOf({ segment: 'segment_A' })).toEqual(tabs);
  for (const filters of [[], [{ ...google, values: ['Google', 'Bing'] }], [{ ...google, operator: 'is_not' as const }]])
    expect(tabsOf({ filters })).toEqual({ ...tabs, sources: 'source' });
});

it('ignores parts of an open list that it does not understand', () => {
  for (const query of ['sort=visits', 'sort=toString:asc', 'sort=name:up', 'page=2', 'search='])
    expect(read(`details=page&${query}`), query).toEqual({ ...USUAL, details: 'page' });
});

describe('a filter', () => {
  it('keeps commas, colons and percent signs of its values', () => {
    const filter: Filter = { dimension: 'page', operator: 'is', values: ['/a,b:c%2C', '/', ''] };
    expect(writeFilter(filter)).toBe('is:page:/a%2Cb%3Ac%252C,/,');
    expect(read(`f=${encodeURIComponent(writeFilter(filter))}`).filters).toEqual([filter]);
  });

  it('survives a value that is not percent-encoding', () => {
    expect(read('f=is:page:/100%25').filters).toEqual([{ dimension: 'page', operator: 'is', values: ['/100%'] }]);
  });

  it('is added, extended, and removed again by the same click', () => {
    const germany = { dimension: 'country', operator: 'is', value: 'DE' } as const;
    const once = toggleFilter([], germany);
    expect(once).toEqual([{ dimension: 'country', operator: 'is', values: ['DE'] }]);
    const twice = toggleFilter(once, { ...germany, value: 'FR' });
    expect(twice).toEqual([{ dimension: 'country', operator: 'is', values: ['DE', 'FR'] }]);
    expect(toggleFilter(toggleFilter(twice, germany), { ...germany, value: 'FR' })).toEqual([]);
  });
});
