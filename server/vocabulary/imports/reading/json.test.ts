import { describe, expect, test } from 'vitest';
import { readObjects } from './json.ts';

async function readAll(texts: string[]) {
  async function* parts() {
    await Promise.resolve();
    yield* texts;
  }
  const found: unknown[] = [];
  for await (const { objects, rejected } of readObjects(parts()))
    found.push(
      ...objects.map(({ object, line }) => [line, object]),
      ...rejected.map(({ line, reason }) => [line, reason]),
    );
  return found;
}
const cutEverywhere = (text: string) =>
  Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);

describe('objects', () => {
  test('of an array are found wherever the text is cut', async () => {
    const text = '[\n{"a":"}\\"{\\\\","b":[{"c":{}}]},\n\n{"a":"é"}]\n';
    const expected = [
      [2, { a: '}"{\\', b: [{ c: {} }] }],
      [4, { a: 'é' }],
    ];
    for (const texts of cutEverywhere(text)) expect(await readAll(texts)).toEqual(expected);
  });

  test('of lines are found wherever the text is cut, and broken lines are told', async () => {
    const text = '{"a":1}\r\n\n{"a":\n7\n{"b":"x"}';
    const expected = [
      [1, { a: 1 }],
      [3, 'unreadable'],
      [4, 'unreadable'],
      [5, { b: 'x' }],
    ];
    for (const texts of cutEverywhere(text)) {
      const found = await readAll(texts);
      expect(found).toHaveLength(4);
      expect(found).toEqual(expect.arrayContaining(expected));
    }
  });

  test('longer than 1 MB are not taken', async () => {
    const long = `{"a":"${'x'.repeat(1024 * 1024)}"}`;
    expect(await readAll([`{"b":1}\n${long}\n{"b":2}`])).toEqual([
      [1, { b: 1 }],
      [2, 'too_long'],
      [3, { b: 2 }],
    ]);
    expect(await readAll(['[', long.slice(0, -1), long.slice(-1), ',\n{"b":2}]'])).toEqual([
      [1, 'too_long'],
      [2, { b: 2 }],
    ]);
  });

  test('that are cut short are told', async () => {
    expect(await readAll(['[{"a":1},\n{"a":'])).toEqual([
      [1, { a: 1 }],
      [2, 'unreadable'],
    ]);
  });
});
