import { describe, expect, test } from 'vitest';
import { MAX_RECORD, readCsv, readCsvHead } from './csv.ts';

type CsvRows = Awaited<ReturnType<ReturnType<typeof readCsv>['next']>>['value'];

async function readAll(texts: string[], { delimiter = ',', newline = '\n' as const } = {}) {
  async function* parts() {
    await Promise.resolve();
    yield* texts;
  }
  const all: CsvRows = { rows: [], lines: [], rejected: [] };
  for await (const { rows, lines, rejected } of readCsv(parts(), { delimiter, newline, name: 'a.csv' })) {
    all.rows.push(...rows);
    all.lines.push(...lines);
    all.rejected.push(...rejected);
  }
  return all;
}

describe('rows of a CSV', () => {
  test('have the lines where they begin, whatever stands in quotes', async () => {
    const text = 'a,b\r\n"1","x\r\ny"\r\n\r\n2,"say ""hi"""\r\n3,z';
    expect(await readAll([text])).toEqual({
      rows: [
        ['a', 'b'],
        ['1', 'x\r\ny'],
        ['2', 'say "hi"'],
        ['3', 'z'],
      ],
      lines: [1, 2, 5, 6],
      rejected: [],
    });
  });

  test('are the same wherever the text is cut', async () => {
    const text = Array.from({ length: 9_000 }, (_, index) => `${index},"a ""quoted"", part\nof ${index}"\n`).join('');
    const whole = await readAll([text]);
    expect(whole.rows).toHaveLength(9_000);
    const cuts = [1, 4_096, 65_536, 70_001, text.length - 1];
    expect(await readAll([0, ...cuts].map((from, index) => text.slice(from, cuts[index])))).toEqual(whole);
  });

  test('after a quote that is never closed are read from the next line on', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `${index},abc\n`).join('');
    const all = await readAll([`0,"open\n${rows}`]);
    expect(all.rows).toHaveLength(20_000);
    expect(all.rejected).toEqual([{ line: 1, reason: 'too_long' }]);
    const short = await readAll(['1,a\n2,"open\n3,c\n']);
    expect(short).toEqual({
      rows: [
        ['1', 'a'],
        ['3', 'c'],
      ],
      lines: [1, 3],
      rejected: [{ line: 2, reason: 'unreadable' }],
    });
  });

  test('longer than 64 KB are not taken', async () => {
    const long = 'x'.repeat(MAX_RECORD + 1);
    expect(await readAll([`1,a\n2,${long}\n3,"${long}"\n4,d`])).toEqual({
      rows: [
        ['1', 'a'],
        ['4', 'd'],
      ],
      lines: [1, 4],
      rejected: [
        { line: 2, reason: 'too_long' },
        { line: 3, reason: 'too_long' },
      ],
    });
    const endless = await readAll(Array.from({ length: 50 }, () => long));
    expect(endless).toEqual({ rows: [], lines: [], rejected: [{ line: 1, reason: 'too_long' }] });
  });

  test('whose quotes are all broken end the file with a sentence', async () => {
    await expect(readAll(['"a" b '.repeat(20_000)])).rejects.toThrow(
      '“a.csv” cannot be read from line 1 on: its quotation marks are broken.',
    );
  });
});

test('the head has the separator, and the line of the header', () => {
  const head = readCsvHead('# a report\n\nsep=;\na;"b;c"\n1;2\n3;', { isWhole: false });
  expect(head).toEqual({
    delimiter: ';',
    newline: '\n',
    header: ['a', 'b;c'],
    headerLine: 4,
    hasComments: true,
    sample: [['1', '2']],
  });
});
