// The small export of every format, broken in every way, by a seed. What comes out is refused with a sentence, reported row by row, or read as if
// nothing had happened; nothing else is thrown, and no number is invented.
import { BlobReader, BlobWriter, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { describe, expect, test } from 'vitest';
import { SAMPLES } from '../../../tests/setup/exports.ts';
import { CENTRAL, claim, numbersFrom, SENTENCE, utf16 } from '../../../tests/setup/hostile-files.ts';
import { fileOf, gzipOf, readImport } from '../../../tests/setup/imports.ts';
import { readDay } from '../time/time.ts';
import { FORMAT_NAMES } from './formats/formats.ts';
import { ImportError, REJECT_REASONS, type ImportFile } from './import.ts';
import { unpack } from './reading/unpack.ts';

const SEED = 2026;
type Random = (below: number) => number;
type SampleName = keyof typeof SAMPLES;
const NAMES = Object.keys(SAMPLES) as SampleName[];

/** A sample as texts, and whether they come in one zip. */
type Texts = { zip: string | undefined; files: [name: string, text: string][] };

async function textsOf(name: SampleName): Promise<Texts> {
  const files: Texts['files'] = [];
  let zip: string | undefined;
  for (const file of await SAMPLES[name].files('example.com'))
    for (const unpacked of await unpack(file)) {
      if (unpacked.isInZip) zip = file.name;
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const part of unpacked.bytes()) parts.push(part.slice());
      files.push([unpacked.name.split('/').at(-1) ?? '', await new Blob(parts).text()]);
    }
  return { zip, files };
}

async function zipped(name: string, files: [string, BlobPart][]): Promise<ImportFile> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false });
  for (const [path, bytes] of files) await writer.add(path, new BlobReader(new Blob([bytes])));
  return { name, blob: await writer.close() };
}

type Built = ImportFile[] | Promise<ImportFile[]>;
/** The files again, each with another content. */
const rebuilt = ({ zip, files }: Texts, change: (text: string) => BlobPart): Built => {
  const changed = files.map(([name, text]): [string, BlobPart] => [name, change(text)]);
  return zip === undefined
    ? changed.map(([name, bytes]) => fileOf(name, bytes))
    : zipped(zip, changed).then((one) => [one]);
};

const latin = (text: string) => Uint8Array.from(text, (char) => (char.charCodeAt(0) < 256 ? char.charCodeAt(0) : 63));
const numbers = /(?<=[,;:\t])\d{1,13}(?=[,;}\n\t])/g;
/** Replaces some of what matches; the first in any case. */
const someOf = (text: string, pattern: RegExp, random: Random, value: string) => {
  let count = 0;
  return text.replaceAll(pattern, (found) => (count++ === 0 || random(3) === 0 ? value : found));
};
/** Changes a random line that is not the first. */
function inLine(text: string, random: Random, change: (line: string) => string): string {
  const lines = text.split('\n');
  const at = Math.min(lines.length - 1, 1 + random(Math.max(1, lines.length - 2)));
  lines[at] = change(lines[at] ?? '');
  return lines.join('\n');
}
const bent = async (texts: Texts, change: (bytes: Uint8Array<ArrayBuffer>) => BlobPart): Promise<ImportFile[]> => {
  const { name, blob } = await zipped('a.zip', texts.files);
  return [fileOf(name, change(new Uint8Array(await blob.arrayBuffer())))];
};

type Kind = {
  /** `same`: read as if nothing had happened. `refused`: with a sentence. `clear`: either, or with rows that are reported. */
  ends: 'same' | 'refused' | 'clear';
  build(texts: Texts, random: Random): Built;
};
const onTexts = (ends: Kind['ends'], change: (text: string, random: Random) => BlobPart): Kind => ({
  ends,
  build: (texts, random) => rebuilt(texts, (text) => change(text, random)),
});

const KINDS: Record<string, Kind> = {
  'UTF-8 with a mark': onTexts('same', (text) => `\ufeff${text}`),
  'UTF-16 with a mark': onTexts('same', (text) => utf16(`\ufeff${text}`)),
  'UTF-16, the other way round': onTexts('same', (text) => utf16(`\ufeff${text}`, { isLittle: false })),
  'CR and LF': onTexts('same', (text) => text.replaceAll('\n', '\r\n')),
  'blank lines at the end': onTexts('same', (text) => `${text}\n\n`),
  'gz, whatever its name says': {
    ends: 'same',
    build: async ({ zip, files }) =>
      zip === undefined
        ? Promise.all(files.map(([name, text]) => gzipOf(name, text)))
        : rebuilt({ zip, files }, (text) => text),
  },
  'a zip with ../': {
    ends: 'same',
    build: async ({ files }) => [
      await zipped(
        'a.zip',
        files.map(([name, text]) => [`../../../etc/${name}`, text]),
      ),
    ],
  },
  'CR alone': onTexts('same', (text) => text.replaceAll('\n', '\r')),
  'Windows-1252': onTexts('clear', (text) => latin(text.replace('Chrome', 'Chromé'))),
  'UTF-16, cut in a character': onTexts('clear', (text) => utf16(`\ufeff${text}`).slice(0, -1)),
  'cut off': onTexts('clear', (text, random) => text.slice(0, 1 + random(text.length - 1))),
  'cut off in its last line': onTexts('clear', (text) => text.trimEnd().slice(0, -3)),
  'a quote that is never closed': onTexts('clear', (text, random) => inLine(text, random, (line) => `"${line}`)),
  'quotes everywhere': onTexts('clear', (text, random) => someOf(text, /[,:\t]/g, random, ',"a" b "')),
  'days that do not exist': onTexts('clear', (text) =>
    text.replaceAll(/2025-?01-?30/g, '2025-02-30').replaceAll('30.01.', '30.02.'),
  ),
  'days of other ages': onTexts('clear', (text) => text.replaceAll('2025', '0025').replaceAll('1738', '9999999991738')),
  'dates in several orders': onTexts('clear', (text) =>
    text.replaceAll('2025-01-30', '30/01/2025').replaceAll('2025-01-31', '01/31/2025'),
  ),
  'negative numbers': onTexts('clear', (text, random) => someOf(text, numbers, random, '-7')),
  'gigantic numbers': onTexts('clear', (text, random) => someOf(text, numbers, random, '99999999999999999999999')),
  'numbers of JavaScript': onTexts('clear', (text, random) =>
    someOf(text, numbers, random, ['1e99', '0x10', 'NaN', '-0'][random(4)] ?? ''),
  ),
  formulas: onTexts('clear', (text, random) => someOf(text, numbers, random, "=cmd|'/c calc'!A1")),
  'a column short': onTexts('clear', (text, random) =>
    inLine(text, random, (line) => line.replace(/[,;\t][^,;\t]*$/, '')),
  ),
  'a column too many': onTexts('clear', (text, random) => inLine(text, random, (line) => `${line},x\tx;x`)),
  'every column twice': onTexts('clear', (text) =>
    text
      .split('\n')
      .map((line) => (line === '' ? line : `${line},${line}`))
      .join('\n'),
  ),
  'other separators': onTexts('clear', (text, random) => text.replaceAll(',', [';', '\t', '|', '^'][random(4)] ?? '')),
  'a line of a megabyte': onTexts('clear', (text, random) =>
    inLine(text, random, (line) => line + 'x'.repeat(1_100_000)),
  ),
  'bytes that changed': onTexts('clear', (text, random) => {
    const bytes = new TextEncoder().encode(text);
    for (let count = 0; count < 12; count++) bytes[random(bytes.length)] = random(256);
    return bytes;
  }),
  'lines in another order': onTexts('clear', (text, random) =>
    text
      .split('\n')
      .map((line) => [random(1_000), line] as const)
      .sort(([one], [other]) => one - other)
      .map(([, line]) => line)
      .join('\n'),
  ),
  'half a zip': { ends: 'refused', build: (texts) => bent(texts, (bytes) => bytes.slice(0, bytes.length / 2)) },
  'a zip that claims four gigabytes': {
    ends: 'refused',
    build: (texts) => bent(texts, (bytes) => claim(bytes, CENTRAL, 24, 0xfffffff0)),
  },
  'a zip whose entries are elsewhere': {
    ends: 'refused',
    build: (texts) => bent(texts, (bytes) => claim(bytes, CENTRAL, 42, 0x7fffffff)),
  },
  'beside the export of another product': {
    ends: 'refused',
    build: async (texts) =>
      (await rebuilt(texts, (text) => text)).concat(
        fileOf(
          'other.csv',
          texts.files.some(([, text]) => text.includes('is_robot'))
            ? 'session_id,url_path,event_type,created_at\ns,/,1,2025-01-30 10:00:00'
            : 'added_iso,path,is_robot\n2025-01-30T10:00:00Z,/,false',
        ),
      ),
  },
};

/** An array of JSON that holds everything twice is read as what it says; a changed byte may be a digit. */
const DOUBLED: ReadonlySet<string> = new Set(['every column twice', 'bytes that changed']);

/** Everything that must hold of whatever was read. */
async function expectClear(files: ImportFile[]): Promise<Awaited<ReturnType<typeof readImport>> | ImportError> {
  const read = await readImport(files).catch((thrown: unknown) => thrown as Error);
  if (read instanceof Error) {
    expect(read).toBeInstanceOf(ImportError);
    expect(read.message).toMatch(SENTENCE);
    expect(files.some(({ name }) => read.message.includes(name.replace(/^.*\//, '')))).toBe(true);
    return read as ImportError;
  }
  const { hits, sums, rejected, report } = read;
  for (const { file, line, reason } of rejected) {
    expect(REJECT_REASONS).toContain(reason);
    expect(line).toBeGreaterThan(0);
    expect(files.some(({ name }) => file.startsWith(name))).toBe(true);
  }
  for (const { day, visitors, visits, pageviews, events, bounces, visit_seconds, label } of sums) {
    expect(readDay(day)).toBeDefined();
    for (const count of [visitors, events, visits ?? 0, pageviews ?? 0, bounces ?? 0, visit_seconds ?? 0])
      expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    expect(label.length).toBeLessThan(4_097);
  }
  for (const { time, path, name, visitor, request } of hits) {
    expect(time > Date.UTC(1970) && time < Date.UTC(2101)).toBe(true);
    expect(name.length > 0 && name.length < 256 && path.length < 4_097 + 2_048).toBe(true);
    expect(visitor !== '' || (request !== undefined && request.address !== '')).toBe(true);
  }
  expect(report.rejected).toBe(rejected.length);
  return read;
}

const random = numbersFrom(SEED);
const CASES = NAMES.flatMap((name) =>
  Object.entries(KINDS).map(([kind, { ends, build }]) => ({ name, kind, ends, build, turn: random(2 ** 31) })),
);

/** Of each sample, its texts and what is read from it as it is. */
const samples = new Map(
  NAMES.map((name) => {
    const clean = SAMPLES[name].files('example.com');
    return [name, { texts: textsOf(name), clean: Promise.resolve(clean).then((files) => readImport(files)) }] as const;
  }),
);

describe('the export of every format, broken', () => {
  test.each(CASES)('$name: $kind', async ({ name, kind, ends, build, turn }) => {
    const sample = samples.get(name);
    const texts = (await sample?.texts) ?? { zip: undefined, files: [] };
    const outcome = await expectClear(await build(texts, numbersFrom(turn)));
    if (ends === 'refused') expect(outcome).toBeInstanceOf(ImportError);
    if (outcome instanceof ImportError) return expect(ends).not.toBe('same');
    const clean = (await sample?.clean) ?? outcome;
    if (ends === 'clear') {
      const { pageviews } = outcome.report.totals;
      const isReported =
        outcome.rejected.length > clean.rejected.length ||
        outcome.report.rows < clean.report.rows ||
        outcome.report.not_served > clean.report.not_served;
      if (pageviews < clean.report.totals.pageviews) expect(isReported).toBe(true); // nothing is lost without a word
      expect(pageviews <= clean.report.totals.pageviews || DOUBLED.has(kind)).toBe(true);
      return;
    }
    expect(outcome).toMatchObject({ hits: clean.hits, sums: clean.sums });
    expect(outcome.rejected).toHaveLength(clean.rejected.length);
  });

  test('are more than two hundred, of each format more than twenty', () => {
    expect(CASES.length).toBeGreaterThan(200);
    for (const format of FORMAT_NAMES)
      expect(CASES.filter(({ name }) => SAMPLES[name].format === format).length).toBeGreaterThan(20);
  });
});
