import { describe, expect, test } from 'vitest';
import { makeAiVisit, makeError, makeEvent, makeVitals } from '../../tests/setup/event.ts';
import { BLANK_AI_VISIT, BLANK_ERROR, BLANK_EVENT, BLANK_VITALS, type Recorded } from '../vocabulary/event.ts';
import { readEntries, readEntry, writeEntry } from './entries.ts';

const FORMS: { entry: Recorded; blank: Recorded }[] = [
  { entry: makeEvent(), blank: BLANK_EVENT },
  { entry: makeAiVisit(), blank: BLANK_AI_VISIT },
  { entry: makeVitals(), blank: BLANK_VITALS },
  { entry: makeError(), blank: BLANK_ERROR },
];

describe.each(FORMS)('an entry of the queue: $entry.kind', ({ entry, blank }) => {
  test('is read back as it was written, with every column', () => {
    const read = readEntry(writeEntry(entry));
    expect(read).toEqual(entry);
    expect(Object.keys(read)).toEqual(Object.keys(blank));
  });

  test('is written without its blank columns, as JSON', () => {
    expect(writeEntry(blank)).toBe(JSON.stringify({ kind: blank.kind }));
    expect(readEntry(writeEntry(blank))).toEqual(blank);
    for (const [name, value] of Object.entries(entry)) {
      const written = writeEntry({ ...blank, [name]: value });
      const isBlank = name === 'kind' || JSON.stringify(value) === JSON.stringify(blank[name as keyof Recorded]);
      expect(JSON.parse(written)).toEqual({ kind: blank.kind, ...(!isBlank && { [name]: value }) });
    }
  });

  const columns = Object.keys(blank).filter((name) => name !== 'kind');
  test.each(columns)('written before the column %s existed has it blank', (name) => {
    const earlier = Object.fromEntries(Object.entries(entry).filter(([column]) => column !== name));
    const expected = { ...entry, [name]: blank[name as keyof Recorded] };
    expect(readEntries(`[${JSON.stringify(earlier)},${writeEntry(entry)}]`)).toEqual([expected, entry]);
  });

  test('with its columns in another order, or with an unknown one, reads the same', () => {
    const turned = Object.fromEntries(Object.entries(entry).reverse());
    expect(readEntry(JSON.stringify(turned))).toEqual(entry);
    expect(readEntry(JSON.stringify({ ...entry, gone: 'x' }))).toMatchObject(entry);
  });
});
