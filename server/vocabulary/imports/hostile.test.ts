// Files that are broken or made to do harm. Each is refused with a sentence, or its rows are, and nothing else is thrown.
import { describe, expect, test } from 'vitest';
import { CENTRAL, claim, numbersFrom, SENTENCE, utf16 } from '../../../tests/setup/hostile-files.ts';
import { fileOf, gzipOf, readImport, zipOf } from '../../../tests/setup/imports.ts';
import { ImportError, type ImportFile, type RejectReason } from './import.ts';
import { openImport } from './open.ts';

const random = numbersFrom(30);

const HEADER = 'date,visitors,pageviews,bounces,visits,visit_duration';
const ROW = '2025-01-30,1,2,0,1,10';
const DAYS = `${HEADER}\n${ROW}\n`;
const bytesOf = async ({ blob }: ImportFile) => new Uint8Array(await blob.arrayBuffer());
const latin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const MEGABYTE = 'x'.repeat(1024 * 1024);
const ZEROS = new Uint8Array(1024 * 1024);

type Refused = [name: string, file: () => ImportFile | Promise<ImportFile>, sentence: string];
const NOT_KNOWN = 'is not an export that Footfall knows';
const DAMAGED = 'is damaged or not complete';

async function changed(file: ImportFile | Promise<ImportFile>, change: (bytes: Uint8Array<ArrayBuffer>) => BlobPart) {
  const { name } = await file;
  return fileOf(name, change(await bytesOf(await file)));
}
const END = 0x06054b50;
/** The zip of one entry, with that entry many times in its directory. */
function withEntries(zip: Uint8Array<ArrayBuffer>, count: number): BlobPart {
  const at = (mark: number) => {
    const view = new DataView(zip.buffer);
    for (let index = 0; ; index++) if (view.getUint32(index, true) === mark) return index;
  };
  const entry = zip.slice(at(CENTRAL), at(END));
  const end = new DataView(zip.slice(at(END)).buffer);
  for (const offset of [8, 10]) end.setUint16(offset, count, true);
  end.setUint32(12, entry.length * count, true);
  const entries = Array.from({ length: count }, () => entry);
  return new Blob([zip.slice(0, at(CENTRAL)), ...entries, end]);
}
const bomb = async (name: string) => {
  const parts = Array.from({ length: 80 }, () => MEGABYTE);
  const stream = new Blob([DAYS, ...parts]).stream().pipeThrough(new CompressionStream('gzip'));
  return { name, blob: await new Response(stream).blob() };
};

const REFUSED: Refused[] = [
  ['nothing', () => fileOf('a.csv'), 'is empty'],
  ['blanks', () => fileOf('a.csv', ' \n\r\n \n'), 'holds no rows'],
  ['a byte order mark alone', () => fileOf('a.csv', '\ufeff'), 'holds no rows'],
  ['one column', () => fileOf('a.csv', 'date\n2025-01-01'), NOT_KNOWN],
  ['prose', () => fileOf('a.txt', 'Dear all, this is no export.\nAnn'), NOT_KNOWN],
  ['HTML', () => fileOf('a.csv', '<!doctype html><title>Log in, please</title>'), NOT_KNOWN],
  ['a picture', () => fileOf('a.csv', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 10)), NOT_KNOWN],
  ['a database', () => fileOf('a.csv', 'SQLite format 3\0,date,views', ZEROS), NOT_KNOWN],
  ['zeros', () => fileOf('a.csv', ZEROS), NOT_KNOWN],
  [
    'random bytes',
    () =>
      fileOf(
        'a.csv',
        Uint8Array.from({ length: 5_000 }, () => 1 + random(255)),
      ),
    NOT_KNOWN,
  ],
  ['ten million columns', () => fileOf('a.csv', `date,visitors${',x'.repeat(10_000_000)}\n`), 'is longer than 64 KB'],
  ['a million columns', () => fileOf('a.csv', `date,visitors${',x'.repeat(1_000_000)}\n`), 'is longer than 64 KB'],
  ['five thousand columns', () => fileOf('a.csv', `date,visitors${',x'.repeat(5_000)}\n1`), 'has 5,002 columns'],
  [
    'a header that never ends',
    () => fileOf('a.csv', 'date,visitors,', ...Array.from({ length: 30 }, () => MEGABYTE)),
    'is longer than 64 KB',
  ],
  [
    'a header with an open quote',
    () => fileOf('a.csv', `date,"visitors\n${`${ROW}\n`.repeat(9_000)}`),
    'is longer than 64 KB',
  ],
  ['dates without counts', () => fileOf('a.csv', 'date,city\n2025-01-01,Rome'), NOT_KNOWN],
  ['counts without dates', () => fileOf('a.csv', 'country,views\nIT,4'), NOT_KNOWN],
  ['JSON of something else', () => fileOf('a.json', '{"name":"x","version":1}'), NOT_KNOWN],
  ['deep JSON', () => fileOf('a.json', '['.repeat(100_000)), NOT_KNOWN],
  ['an error of Matomo', () => fileOf('a.json', '{"result":"error","message":"token"}'), NOT_KNOWN],
  ['a zip in a zip', async () => zipOf('a.zip', { 'b.zip': 'PK\u0003\u0004' }), 'is an archive inside a zip'],
  ['gz in a zip', async () => changed(zipOf('a.zip', { 'b.csv': '\u001f' }), (bytes) => bytes), NOT_KNOWN],
  [
    'gz in gz',
    async () =>
      changed(gzipOf('a', DAYS), (bytes) => bytes).then(async ({ blob }) => ({
        name: 'a.gz',
        blob: await new Response(blob.stream().pipeThrough(new CompressionStream('gzip'))).blob(),
      })),
    'is an archive',
  ],
  ['a rar', () => fileOf('a.rar', 'Rar!\u001a\u0007'), 'is an archive'],
  ['a 7z', () => fileOf('a.7z', Uint8Array.of(0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c)), 'is an archive'],
  ['an empty zip', async () => zipOf('a.zip', {}), 'is an empty zip'],
  ['a zip of pictures', async () => zipOf('a.zip', { 'b.png': '\u0089PNG\0\0' }), NOT_KNOWN],
  ['a zip with nothing but its mark', () => fileOf('a.zip', 'PK\u0003\u0004'), DAMAGED],
  [
    'a zip without its end',
    async () => changed(zipOf('a.zip', { 'b.csv': DAYS.repeat(50) }), (bytes) => bytes.slice(0, -30)),
    DAMAGED,
  ],
  [
    'half a zip',
    async () => changed(zipOf('a.zip', { 'b.csv': DAYS.repeat(50) }), (bytes) => bytes.slice(0, bytes.length / 2)),
    DAMAGED,
  ],
  [
    'a zip with a bent entry',
    async () => changed(zipOf('a.zip', { 'b.csv': DAYS.repeat(50) }), (bytes) => bytes.fill(0xff, 60, 90)),
    DAMAGED,
  ],
  [
    'a zip whose entry is elsewhere',
    async () => changed(zipOf('a.zip', { 'b.csv': DAYS }), (bytes) => claim(bytes, CENTRAL, 42, 0x7fffffff)),
    DAMAGED,
  ],
  [
    'a zip of 10,001 files',
    async () => changed(zipOf('a.zip', { 'b.csv': '' }), (bytes) => withEntries(bytes, 10_001)),
    'holds more than 10,000 files',
  ],
  ['gz with nothing but its mark', () => fileOf('a.gz', Uint8Array.of(0x1f, 0x8b)), DAMAGED],
  [
    'half a gz',
    async () => changed(gzipOf('a.gz', DAYS.repeat(500)), (bytes) => bytes.slice(0, bytes.length / 2)),
    DAMAGED,
  ],
  ['gz with a wrong checksum', async () => changed(gzipOf('a.gz', DAYS), (bytes) => bytes.fill(0, -8, -4)), DAMAGED],
  ['zeros in a row', () => fileOf('a.csv', `${DAYS}2025-01-30\0,1,1,1,1,1\n`), NOT_KNOWN],
  [
    'a zip that claims four gigabytes',
    async () => changed(zipOf('a.zip', { 'b.csv': DAYS }), (bytes) => claim(bytes, CENTRAL, 24, 0xfffffff0)),
    DAMAGED,
  ],
  ['a bomb', async () => bomb('a.gz'), 'unpacks to far more than it is'],
  [
    'broken quotes all over',
    () => fileOf('a.csv', `${DAYS}${'"a" b '.repeat(30_000)}`),
    'its quotation marks are broken',
  ],
];

type Read = [
  name: string,
  file: () => ImportFile | Promise<ImportFile>,
  pageviews: number,
  reasons?: Partial<Record<RejectReason, number>>,
];
const READ: Read[] = [
  ['semicolons', () => fileOf('a.csv', DAYS.replaceAll(',', ';')), 2],
  ['tabs', () => fileOf('a.csv', DAYS.replaceAll(',', '\t')), 2],
  ['UTF-16 with a mark', () => fileOf('a.csv', utf16(`\ufeff${DAYS}`)), 2],
  ['UTF-16, the other way round', () => fileOf('a.csv', utf16(`\ufeff${DAYS}`, { isLittle: false })), 2],
  ['UTF-16 without a mark', () => fileOf('a.csv', utf16(DAYS)), 2],
  [
    'UTF-16, cut in a character',
    () => fileOf('a.csv', utf16(`\ufeff${DAYS}${ROW}\n`).slice(0, -1)),
    2,
    { bad_number: 1 },
  ],
  ['UTF-8 with a mark', () => fileOf('a.csv', `\ufeff${DAYS}`), 2],
  ['Windows-1252', () => fileOf('a.csv', latin('Datum;Seite;Aufrufe\n30.01.2025;/caf\u00e9;2')), 2],
  [
    'UTF-8, cut in a character',
    () => fileOf('a.csv', `date,page,views\n2025-01-30,/\u00e9,2\n2025-01-30,/`, Uint8Array.of(0xc3)),
    2,
    { short_row: 1 },
  ],
  ['CR alone', () => fileOf('a.csv', DAYS.replaceAll('\n', '\r')), 2],
  ['CR and LF', () => fileOf('a.csv', DAYS.replaceAll('\n', '\r\n')), 2],
  ['ends of lines of both kinds', () => fileOf('a.csv', `${HEADER}\r\n${ROW}\n${ROW}\r\n`), 4],
  ['an open quote', () => fileOf('a.csv', `${HEADER}\n"${ROW}\n${ROW}\n`), 2, { unreadable: 1 }],
  [
    'an open quote in a large file',
    () => fileOf('a.csv', `${HEADER}\n"${ROW}\n${`${ROW}\n`.repeat(9_000)}`),
    18_000,
    { too_long: 1 },
  ],
  [
    'an endless row',
    () => fileOf('a.csv', DAYS, ...Array.from({ length: 30 }, () => MEGABYTE), `\n${ROW}`),
    4,
    { too_long: 1 },
  ],
  [
    'days that do not exist',
    () => fileOf('a.csv', `${DAYS}2025-02-30,1,1,1,1,1\n2025-13-01,1,1,1,1,1\n0000-00-00,1,1,1,1,1\n`),
    2,
    { no_date: 3 },
  ],
  [
    'days of other ages',
    () => fileOf('a.csv', `${DAYS}1600-01-01,1,1,1,1,1\n9999-12-31,1,1,1,1,1\n-271821-04-20,1,1,1,1,1\n`),
    2,
    { no_date: 3 },
  ],
  ['dates in another order', () => fileOf('a.csv', 'Date,Views\n31/01/2025,2\n01/31/2025,1\n'), 2, { no_date: 1 }],
  [
    'negative counts',
    () => fileOf('a.csv', `${DAYS}2025-01-30,-1,1,1,1,1\n2025-01-30,1,-0,1,1,1\n`),
    2,
    { bad_number: 2 },
  ],
  [
    'gigantic counts',
    () =>
      fileOf(
        'a.csv',
        `${DAYS}2025-01-30,99999999999999999999,1,1,1,1\n2025-01-30,1e9,1,1,1,1\n2025-01-30,1000000001,1,1,1,1`,
      ),
    2,
    { bad_number: 3 },
  ],
  [
    'no numbers',
    () => fileOf('a.csv', `${DAYS}2025-01-30,NaN,1,1,1,1\n2025-01-30,Infinity,1,1,1,1\n2025-01-30,0x10,1,1,1,1`),
    2,
    { bad_number: 3 },
  ],
  ['digits of other scripts', () => fileOf('a.csv', `${DAYS}2025-01-30,\u0661,1,1,1,1\n`), 2, { bad_number: 1 }],
  [
    'formulas',
    () => fileOf('a.csv', `${DAYS}=1+1,1,1,1,1,1\n2025-01-30,=cmd|'/c calc'!A1,1,1,1,1\n`),
    2,
    { no_date: 1, bad_number: 1 },
  ],
  ['columns twice', () => fileOf('a.csv', `${HEADER},visitors,date\n${ROW},999,1999-01-01`), 2],
  ['a column short', () => fileOf('a.csv', `${DAYS}2025-01-30,1,1\n`), 2, { short_row: 1 }],
  ['a column too many', () => fileOf('a.csv', `${DAYS}${ROW},7\n`), 2, { unreadable: 1 }],
  ['empty cells behind', () => fileOf('a.csv', `${DAYS}${ROW},,,\n`), 4],
  ['names of JavaScript', () => fileOf('a.csv', `${HEADER},__proto__,constructor\n${ROW},a,b\n`), 2],
  ['a zip with ../', async () => zipOf('a.zip', { '../../../etc/cron.d/imported_visitors.csv': DAYS }), 2],
  [
    'a zip with folders and what macOS adds',
    async () => zipOf('a.zip', { 'x/__MACOSX/._a.csv': '\0\0', 'x/.DS_Store': '\0', 'x/a.csv': DAYS }),
    2,
  ],
  ['a wrong ending', () => fileOf('a.zip', DAYS), 2],
  ['a wrong ending of gz', async () => gzipOf('visitors.csv', DAYS), 2],
  [
    'JSON lines that are cut',
    () =>
      fileOf(
        'a.json',
        '{"event_timestamp":"1738230000000000","event_name":"page_view","event_params":[{"key":"page_location","value":{"string_value":"https://a.example/"}}]}\n{"event_timestamp":',
      ),
    1,
    { unreadable: 1 },
  ],
  [
    'JSON of other types',
    () => fileOf('a.json', '{"event_timestamp":{},"event_name":[],"event_params":{"key":1}}\n[1]\n7\nnull\n"x"\n'),
    0,
    { no_date: 1, unreadable: 4 },
  ],
  [
    'an object that never ends',
    () => fileOf('a.json', '[{"actionDetails":[],"x":"', ...Array.from({ length: 5 }, () => MEGABYTE)),
    0,
    { too_long: 1 },
  ],
];

describe('a hostile file', () => {
  test.each(REFUSED)('is refused with a sentence: %s', async (_, file, sentence) => {
    const error: unknown = await readImport(await file()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportError);
    expect((error as ImportError).message).toContain(sentence);
    expect((error as ImportError).message).toMatch(SENTENCE);
  });

  test.each(READ)('is read as far as it can be: %s', async (_, file, pageviews, reasons = {}) => {
    const { report } = await readImport(await file());
    expect(report.reasons).toEqual(reasons);
    expect(report.totals.pageviews).toBe(pageviews);
  });

  test('there are more than sixty', () => {
    expect(REFUSED.length + READ.length).toBeGreaterThan(60);
  });
});

test('files of two products are refused', async () => {
  const umami = fileOf('b.csv', 'session_id,url_path,event_type,created_at\ns,/,1,2025-01-30 10:00:00');
  await expect(readImport([fileOf('a.csv', DAYS), umami])).rejects.toThrow(
    '“a.csv” (Plausible, daily sums) and “b.csv” (Umami, single hits) do not belong together. Import them one after the other.',
  );
});

test('a format that is told must be that of the file', async () => {
  await expect(readImport(fileOf('a.csv', DAYS), { as: 'umami' })).rejects.toThrow(
    '“a.csv” is not an export of Umami.',
  );
  expect((await readImport(fileOf('a.csv', DAYS), { as: 'csv' })).opened.format).toBe('csv');
});

test('random changes of a file do no more than reject rows or refuse it', async () => {
  const clean = latin(DAYS.repeat(20));
  for (let round = 0; round < 200; round++) {
    const bytes = clean.slice(0, 1 + random(clean.length));
    for (let count = random(8); count >= 0; count--) bytes[random(bytes.length)] = random(256);
    const error: unknown = await readImport(fileOf('a.csv', bytes)).catch((thrown: unknown) => thrown);
    if (error instanceof Error) expect(error).toBeInstanceOf(ImportError);
  }
});

test('an import can be read more than once, in batches of at most 2,000 rows', async () => {
  const zip = await zipOf('a.zip', { 'a.csv': `${HEADER}\n${`${ROW}\n`.repeat(4_500)}` });
  const opened = await openImport([zip]);
  for (const _ of [1, 2]) {
    const sizes: number[] = [];
    for await (const { rows } of opened.read()) sizes.push(rows);
    expect(sizes).toEqual([2_000, 2_000, 500]);
  }
  for await (const _ of opened.read()) break; // as a cancelled upload does
  const { read } = await readImport(zip);
  expect(read).toBe(opened.bytes);
});
