import { describe, expect, test } from 'vitest';
import { makeAiVisit, makeError, makeEvent, makeVitals } from '../../tests/setup/event.ts';
import { BLANK_AI_VISIT, BLANK_ERROR, BLANK_EVENT, BLANK_VITALS, type Recorded } from '../vocabulary/event.ts';
import { readEntries, readEntry, readTexts, writeEntry } from './entries.ts';
import type { Unreadable } from './queue.ts';

const FORMS: { entry: Recorded; blank: Recorded }[] = [
  { entry: makeEvent(), blank: BLANK_EVENT },
  { entry: makeAiVisit(), blank: BLANK_AI_VISIT },
  { entry: makeVitals(), blank: BLANK_VITALS },
  { entry: makeError(), blank: BLANK_ERROR },
];

test('a value that JSON does not have is written as the blank one', () => {
  const event = makeEvent();
  const odd = { ...event, browser: Object, os: Symbol('os'), page: undefined } as unknown as Recorded;
  expect(readEntry(writeEntry(odd))).toEqual({ ...event, browser: '', os: '', page: '' });
});

test('what an earlier version could not read is read once it can be', () => {
  const [first] = readEntries('[5]').unreadable;
  expect(first).toEqual({ kind: 'unreadable', event_id: 'ef2d127de37b942b', site_id: '', time: 0, text: '5' });
  expect(readEntries(`[${writeEntry(first as Unreadable)}]`)).toEqual({ entries: [], unreadable: [first] });
  const event = makeEvent();
  const now = { ...(first as Unreadable), text: writeEntry(event) };
  expect(readEntry(writeEntry(now))).toEqual(event);
});

test.each([
  ['no text', ['']],
  ['the text of two', ['5,6']],
  ['texts that are an entry only together', ['{"kind":"event"', '"name":"x"}']],
  ['a text with the ends of others', ['1],[2']],
])('%s is unreadable, and each of the others is read', (_title, damaged) => {
  const event = makeEvent();
  const { entries, unreadable } = readTexts([...damaged, JSON.stringify(event, null, 1)]);
  expect([entries, unreadable.map(({ text }) => text)]).toEqual([[event], damaged]);
});

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
    expect(readEntries(`[${JSON.stringify(earlier)},${writeEntry(entry)}]`).entries).toEqual([expected, entry]);
  });

  test('with its columns in another order, or with an unknown one, reads the same', () => {
    const turned = Object.fromEntries(Object.entries(entry).reverse());
    expect(readEntry(JSON.stringify(turned))).toEqual(entry);
    expect(readEntry(JSON.stringify({ ...entry, gone: 'x' }))).toMatchObject(entry);
  });
});
