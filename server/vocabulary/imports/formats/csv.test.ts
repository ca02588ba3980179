import { describe, expect, test } from 'vitest';
import { fileOf, meaningsOf, readImport } from '../../../../tests/setup/imports.ts';

describe('any CSV with dates and counts', () => {
  test.each([
    ['English', 'Date,Page views,Unique visitors,Visits\n2025-01-31,"1,234",20,30'],
    ['German', 'Datum;Seitenaufrufe;Besucher;Sitzungen\n31.01.2025;1.234;20;30'],
    ['French', 'Jour;Pages vues;Visiteurs uniques;Visites\n31/01/2025;1 234;20;30'],
    ['Spanish', 'Fecha\tPáginas vistas\tUsuarios\tSesiones\n2025/1/31\t1234\t20\t30'],
    ['an API', 'day,pageviews,unique_visitors,nb_visits\n20250131,1234,20,30'],
    ['a spreadsheet', 'sep=;\r\nDate;Views;Users;Sessions\r\n2025-01-31T00:00:00Z;1234;20;30\r\nTotal;1234;20;30\r\n'],
  ])('is read by its headings in %s', async (_, text) => {
    const { opened, sums, report } = await readImport(fileOf('days.csv', text));
    expect(opened.format).toBe('csv');
    expect(sums).toEqual([
      {
        day: '2025-01-31',
        dimension: '',
        label: '',
        visitors: 20,
        visits: 30,
        pageviews: 1234,
        events: 0,
        bounces: null,
        visit_seconds: null,
      },
    ]);
    const untold = ['bounces', 'visit_seconds'];
    expect(report).toMatchObject({ totals: { pageviews: 1234, visitors: 20, visits: 30 }, rejected: 0, untold });
  });

  test('reckons bounces and time from rates and averages', async () => {
    const text = 'date,visits,bounce_rate,avg session duration\n2025-01-31,40,25%,1:30\n2025-02-01,40,50%,12.5';
    const { sums } = await readImport(fileOf('days.csv', text));
    expect(sums.map(({ bounces, visit_seconds }) => [bounces, visit_seconds])).toEqual([
      [10, 3600],
      [20, 500],
    ]);
  });

  test('tells a number that is missing from 0, whether its column or its cell is', async () => {
    const text =
      'date,visitors,visits,pageviews,bounces,visit duration\n2025-01-31,70,100,300,0,0\n2025-02-01,70,100,300,,-\n2025-02-02,70,,300,7,9';
    const { sums, report } = await readImport(fileOf('days.csv', text));
    expect(sums.map(({ visits, bounces, visit_seconds }) => [visits, bounces, visit_seconds])).toEqual([
      [100, 0, 0],
      [100, null, null],
      [null, null, null],
    ]);
    expect(report).toMatchObject({ untold: [], totals: { visits: 200 } });
    const untoldOf = async (header: string) =>
      (await readImport(fileOf('days.csv', `${header}\n2025-01-31,70,100,0.5`))).report.untold;
    expect(await untoldOf('date,visitors,visits,bounce rate')).toEqual(['pageviews', 'visit_seconds']);
    expect(await untoldOf('date,visitors,pageviews,bounce rate')).toEqual(['visits', 'bounces', 'visit_seconds']);
  });

  test.each([
    ['per cent, if one is above 1', '0.9\n2025-02-01,1000,1\n2025-02-02,1000,40', [9, 10, 400]],
    ['per cent, if one has the sign', '0.9\n2025-02-01,1000,1\n2025-02-02,1000,40%', [9, 10, 400]],
    ['shares, if none is', '0.9\n2025-02-01,1000,1\n2025-02-02,1000,0.4', [900, 1000, 400]],
  ])('reads all rates of a column as %s', async (_, rates, bounces) => {
    const { sums } = await readImport(fileOf('days.csv', `date,visits,bounce_rate\n2025-01-31,1000,${rates}`));
    expect(sums.map((sum) => sum.bounces)).toEqual(bounces);
  });

  test('takes totals from a list where they add up', async () => {
    const countries = 'date,country,visits,pageviews\n2025-01-31,Allemagne,3,5\n2025-01-31,France,2,4';
    const pages =
      'date,page,visits,pageviews,visitors\n2025-01-31,/a?id=7,3,5,2\n2025-01-31,https://example.com/b,2,4,2';
    const ofCountries = await readImport(fileOf('countries.csv', countries));
    expect(ofCountries.report.totals).toEqual({ pageviews: 9, visitors: 0, visits: 5 });
    expect(ofCountries.sums.filter(({ dimension }) => dimension === 'country').map(({ label }) => label)).toEqual([
      'DE',
      'FR',
    ]);
    const ofPages = await readImport(fileOf('pages.csv', pages));
    expect(ofPages.report.totals).toEqual({ pageviews: 9, visitors: 4, visits: null });
    expect(ofPages.sums.filter(({ dimension }) => dimension === 'page').map(({ label }) => label)).toEqual([
      '/a',
      '/b',
    ]);
    const both = await readImport([fileOf('pages.csv', pages), fileOf('countries.csv', countries)]);
    expect(both.report.totals).toEqual({ pageviews: 9, visitors: 0, visits: 5 });
  });

  test('finds the order of its dates, and shows it', async () => {
    const open = async (...dates: string[]) => {
      const { opened, sums } = await readImport(
        fileOf('a.csv', `Date,Views\n${dates.map((date) => `${date},1\n`).join('')}`),
      );
      return [meaningsOf(opened).Date, ...sums.map(({ day }) => day)];
    };
    expect(await open('01/31/2025', '02/01/2025')).toEqual(['date_month_first', '2025-01-31', '2025-02-01']);
    expect(await open('31/01/2025', '01/02/2025')).toEqual(['date_day_first', '2025-01-31', '2025-02-01']);
    expect(await open('01/02/2025', '01/03/2025')).toEqual(['date_month_first', '2025-01-02', '2025-01-03']);
    expect(await open('01/02/2025', '02/02/2025')).toEqual(['date_day_first', '2025-02-01', '2025-02-02']);
    expect(await open('01/02/2025')).toEqual(['date_day_first', '2025-02-01']);
  });

  test('is mapped by hand, which goes before its headings', async () => {
    const text = 'When,Views,n,Land\n03/04/2025,7,5,DE';
    const mapping = { When: 'date_month_first', Views: '', n: 'pageviews' };
    const { opened, sums } = await readImport(fileOf('x.csv', text), { mapping });
    expect(meaningsOf(opened)).toEqual({ When: 'date_month_first', Views: null, n: 'pageviews', Land: 'country' });
    expect(sums.map(({ day, dimension, pageviews }) => [day, dimension, pageviews])).toEqual([
      ['2025-03-04', '', 5],
      ['2025-03-04', 'country', 5],
    ]);
    await expect(readImport(fileOf('x.csv', text), { mapping: { n: 'height' } })).rejects.toThrow(
      'A column cannot become “height”.',
    );
  });

  test('whose columns nobody knows is refused with them, so that they can be mapped', async () => {
    await expect(readImport(fileOf('x.csv', 'when,how many\n2025-01-01,3'))).rejects.toMatchObject({
      name: 'Error',
      columns: ['when', 'how many'],
      message: expect.stringMatching(
        /^“x\.csv” is not an export that Footfall knows\. It reads those of Footfall, Plausible, Umami, /,
      ) as string,
    });
  });

  test('may have a column twice: the first counts', async () => {
    const { opened, sums } = await readImport(fileOf('x.csv', 'Date,Views,Views,Page views\n2025-01-01,3,9,7'));
    expect(opened.columns.map(({ becomes }) => becomes)).toEqual(['date', 'pageviews', null, null]);
    expect(sums[0]?.pageviews).toBe(3);
  });
});
