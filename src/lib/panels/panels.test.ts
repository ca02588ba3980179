import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { csvRows } from '../../../server/api/exports/csv.ts';
import {
  type Dimension,
  DIMENSION_NAMES,
  dimensionRow,
  isDimension,
} from '../../../server/vocabulary/questions/dimensions.ts';
import { toCsv } from '../../../server/vocabulary/texts/csv.ts';
import { DROP_REASONS, explainDrop } from '../../../server/vocabulary/drops.ts';
import { listedMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import { valueName } from '../formats/dimensions';
import { pageAddress } from './page-address';
import { PANEL_NAMES } from './panel-names';
import { metricOfTab, panelOf } from '../../../server/vocabulary/asking/address.ts';
import { detailMetrics, detailsOf, GUIDES, listsAfter, PANELS, placeOf } from './panels';

describe('the tables', () => {
  it('have exactly the panels and lists that an address may name', () => {
    expect([...PANELS.map(({ name }) => name), 'funnel', 'funnel_by']).toEqual(PANEL_NAMES.panels);
    const lists = PANELS.flatMap(({ tabs }) => tabs.map((tab) => detailsOf(tab)));
    expect([...lists.filter((list) => !isDimension(list)), 'speed']).toEqual(PANEL_NAMES.lists);
  });

  it('give advice for every drop reason', () => {
    for (const reason of DROP_REASONS) expect(explainDrop(reason).advice, reason).not.toBe('');
  });

  it('list the metrics that suit each dimension, the most useful one first', () => {
    const COLUMNS: Partial<Record<string, string>> = {
      visits: 'unique_visitors visits pageviews bounce_rate visit_duration',
      pageviews: 'unique_visitors visits pageviews time_on_page scroll_depth',
      events: 'events unique_visitors',
      conversions: 'conversions converted_visitors conversion_rate',
      ai_visits: 'ai_visits',
    };
    const columns = (dimension: Dimension, hasOrders: boolean) =>
      detailMetrics(dimension, listedMetric(dimension), { hasOrders }).join(' ');
    for (const dimension of [...DIMENSION_NAMES, 'prop:plan' as const]) {
      const { of } = dimensionRow(dimension);
      const payments: Partial<Record<string, string>> = {
        visits: ' revenue revenue_confirmed orders average_order refunds',
        events: ' revenue revenue_confirmed orders average_order refunds',
        conversions: ' revenue orders',
      };
      const reading = ['entry_page', 'goal'].includes(dimension) ? ' time_on_page scroll_depth' : '';
      expect(columns(dimension, false), dimension).toBe(`${COLUMNS[of]}${reading}`);
      expect(columns(dimension, true), dimension).toBe(`${COLUMNS[of]}${reading}${payments[of] ?? ''}`);
    }
    expect(detailMetrics('source', 'revenue', { hasOrders: true })[0]).toBe('revenue');
  });

  it('give each panel distinct tab names, among them its default tab', () => {
    for (const panel of PANELS) {
      const names = panel.tabs.map(({ name }) => name);
      expect(names, panel.name).toContain(panel.usual);
      expect(new Set(names).size, panel.name).toBe(names.length);
    }
  });

  it('show how to fill every tab: a line to copy, or a card of the settings', () => {
    for (const { name, tabs } of PANELS) {
      for (const tab of tabs) {
        expect(tab.empty, `${name}: ${tab.label}`).toMatch(/[.:]$/);
        expect(tab.code ?? (tab.settings && GUIDES[tab.settings].label), `${name}: ${tab.label}`).toMatch(/\S/);
      }
    }
  });

  it('have a name for every value, including the empty one', () => {
    expect(valueName('country', 'DE')).toBe('Germany');
    expect(valueName('country', '')).toBe('Unknown');
    expect(valueName('source', '')).toBe('Direct');
    expect(valueName('region', 'DE-BE')).toBe('BE, Germany');
    expect(valueName('language', 'pt-BR')).toBe('Portuguese (Brazil)');
    expect(valueName('language', '<b>')).toBe('<b>');
    expect(valueName('prop:plan', '')).toBe('(none)');
    expect(valueName('page', '/')).toBe('/');
  });
});

describe('links to pages that visitors sent', () => {
  it('lead to pages of the site and nowhere else', () => {
    expect(pageAddress('example.com', '/pricing')).toBe('https://example.com/pricing');
    for (const path of ['//evil.example', 'javascript:alert(1)', '/\\evil.example', '', 'https://evil.example'])
      expect(pageAddress('example.com', path), path).toBeUndefined();
  });
});

describe('the exported list', () => {
  it('is quoted, and cannot be run by a spreadsheet', () => {
    expect(
      toCsv([
        ['Page', 'Views'],
        ['/a,"b"', 3],
        ['=HYPERLINK("x")', 1],
        ['@x', -1],
      ]),
    ).toBe('Page,Views\r\n"/a,""b""",3\r\n"\'=HYPERLINK(""x"")",1\r\n\'@x,-1\r\n');
  });

  it('escapes every start of a formula, full-width ones too, as the export of days does', () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      const name = `${start}1+1`;
      const [cell] = Papa.parse<string[]>(toCsv([[name, 1]])).data[0] ?? [];
      expect(cell).toBe(`'${name}`);
      const day = {
        date: '2026-11-20',
        pageviews: 1,
        unique_visitors: 1,
        pages: [{ name, count: 1 }],
        referrers: [],
        events: [],
      };
      expect(Papa.parse<string[]>(csvRows([day])).data[0]?.[3]).toBe(`'${name}: 1`);
    }
  });
});

it('a question opens the panel that lists its dimension, by the metric that its tab shows', () => {
  for (const dimension of DIMENSION_NAMES) {
    const { panel, tab } = placeOf(dimension);
    const own = panelOf({ by: dimension, metrics: [] });
    if (own && own !== 'ai')
      expect([dimension, own, metricOfTab(dimension)]).toEqual([dimension, panel?.name, tab?.metric]);
    else expect([dimension, tab]).toEqual([dimension, undefined]);
  }
});

describe('below a list that is shorter than its neighbours', () => {
  const after = (panel: string, name: string, dimension?: Dimension) => {
    const { tabs = [] } = PANELS.find((one) => one.name === panel) ?? {};
    const tab = tabs.find((one) => one.name === name);
    return tab && listsAfter(tabs, { tab, dimension: dimension ?? tab.dimension }).map((list) => list.dimension);
  };

  it.each([
    ['sources', 'source', ['referrer', 'channel']],
    ['sources', 'assistants', ['channel', 'referrer']],
    ['pages', 'hostname', ['page', 'entry_page']],
    ['places', 'country', ['language']],
    ['devices', 'browser', ['os', 'device']],
    ['devices', 'screen', ['browser', 'os']],
    ['events', 'event', []],
  ])('stand the next tabs of a panel that list all of a dimension: %s, %s', (panel, name, lists) => {
    expect(after(panel, name)).toEqual(lists);
  });

  it('stand the next variants of a tab that has some', () => {
    expect(after('payments', 'payments')).toEqual(['channel', 'utm_campaign']);
    expect(after('payments', 'payments', 'device')).toEqual(['source', 'channel']);
    expect(after('payments', 'payments', 'prop:plan')).toEqual(['source', 'channel']);
    expect(after('sources', 'utm_campaign', 'utm_term')).toEqual(['utm_campaign', 'utm_source']);
  });
});
