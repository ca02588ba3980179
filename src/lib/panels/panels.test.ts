import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { csvRows } from '../../../server/api/csv.ts';
import { DIMENSION_NAMES } from '../../../server/stats/dimensions.ts';
import { DROP_REASONS, explainDrop } from '../../../server/vocabulary/drops.ts';
import { METRIC_NAMES } from '../../../server/stats/metrics.ts';
import { DIMENSIONS, valueName } from '../dimensions';
import { METRICS } from '../metrics';
import { toCsv } from './csv';
import { pageAddress } from './page-address';
import { PANELS } from './panels';

describe('the tables', () => {
  it('know every metric, dimension and drop reason of the server', () => {
    expect(Object.keys(METRICS).sort()).toEqual([...METRIC_NAMES].sort());
    expect(Object.keys(DIMENSIONS).sort()).toEqual([...DIMENSION_NAMES].sort());
    for (const reason of DROP_REASONS) expect(explainDrop(reason).advice, reason).not.toBe('');
  });

  it('have panels with names of their own tabs, the usual one among them', () => {
    for (const panel of PANELS) {
      const names = panel.tabs.map(({ name }) => name);
      expect(names, panel.name).toContain(panel.usual);
      expect(new Set(names).size, panel.name).toBe(names.length);
    }
  });

  it('name values, and what is empty', () => {
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

describe('links to what visitors sent', () => {
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
