// Finds the objects of newline-delimited JSON and of an array, one by one, so that memory does not grow with the file.
import type { RejectReason } from '../import.ts';

/** Of one object, in characters: a visit with a thousand pages. */
const MAX_OBJECT = 1024 * 1024;

export type JsonObject = Record<string, unknown>;
type JsonObjects = {
  objects: { object: JsonObject; line: number }[];
  rejected: { line: number; reason: RejectReason }[];
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A text or a number as text; '' for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

type Scanner = { add(text: string): JsonObjects; end(): JsonObjects };

export async function* readObjects(texts: AsyncIterable<string>): AsyncGenerator<JsonObjects> {
  let scan: Scanner | undefined;
  for await (const text of texts) {
    if (!scan && text.trim() === '') continue;
    scan ??= text.trimStart().startsWith('[') ? arrayScanner() : lineScanner();
    yield scan.add(text);
  }
  if (scan) yield scan.end();
}

function readObject(text: string, { line, found }: { line: number; found: JsonObjects }) {
  try {
    // An exception takes longer than everything else about a line, so that what cannot be an object is not tried.
    const value: unknown = /^\s{0,9}\{/.test(text) ? JSON.parse(text) : undefined;
    if (isObject(value)) found.objects.push({ object: value, line });
    else found.rejected.push({ line, reason: 'unreadable' });
  } catch {
    found.rejected.push({ line, reason: 'unreadable' });
  }
}

/** Objects that stand in a line each. A broken one costs its own line alone. */
function lineScanner(): Scanner {
  let pending = '';
  let line = 0;
  let isSkipping = false;
  const read = (text: string, found: JsonObjects) => {
    line += 1;
    if (isSkipping || text.trim() === '') {
      isSkipping = false;
      return;
    }
    if (text.length > MAX_OBJECT) found.rejected.push({ line, reason: 'too_long' });
    else readObject(text, { line, found });
  };
  const add = (text: string): JsonObjects => {
    const found: JsonObjects = { objects: [], rejected: [] };
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const one of lines) read(one, found);
    if (pending.length > MAX_OBJECT) {
      if (!isSkipping) found.rejected.push({ line: line + 1, reason: 'too_long' });
      isSkipping = true;
      pending = '';
    }
    return found;
  };
  const end = (): JsonObjects => {
    const found: JsonObjects = { objects: [], rejected: [] };
    read(pending, found);
    return found;
  };
  return { add, end };
}

function arrayScanner(): Scanner {
  let pending = '';
  let at = 0; // where the scan goes on, in `pending`
  let start = -1;
  let depth = 0;
  let isInString = false;
  let isSkipping = false;
  let line = 1;
  let counted = 0; // up to where the lines are counted, in `pending`

  const lineAt = (index: number) => {
    for (let next = pending.indexOf('\n', counted); next !== -1 && next < index; next = pending.indexOf('\n', next + 1))
      line += 1;
    counted = Math.max(counted, index);
    return line;
  };
  const forget = (index: number) => {
    lineAt(index);
    pending = pending.slice(index);
    counted = 0;
    at -= index;
    start = start === -1 ? -1 : start - index;
  };
  const skip = () => {
    const end = pending.indexOf('\n', at);
    isSkipping = end === -1;
    at = end === -1 ? pending.length : end;
  };
  const close = (found: JsonObjects) => {
    const objectLine = lineAt(start);
    readObject(pending.slice(start, at), { line: objectLine, found });
    start = -1;
  };

  const MARK = /["{}]/g;
  const QUOTE = /["\\]/g;
  const add = (text: string): JsonObjects => {
    const found: JsonObjects = { objects: [], rejected: [] };
    pending += text;
    if (isSkipping) skip();
    while (!isSkipping && at < pending.length) {
      const pattern = isInString ? QUOTE : MARK;
      pattern.lastIndex = at;
      const mark = pattern.exec(pending)?.[0];
      if (mark === undefined) {
        at = pending.length;
        break;
      }
      if (mark === '\\' && pattern.lastIndex === pending.length) {
        at = pattern.lastIndex - 1; // what it escapes is in the next part
        break;
      }
      at = pattern.lastIndex + (mark === '\\' ? 1 : 0);
      if (mark === '"') isInString = !isInString;
      else if (mark === '{' && depth++ === 0) start = at - 1;
      else if (mark === '}' && depth > 0 && --depth === 0) close(found);
    }
    if (start !== -1 && pending.length - start > MAX_OBJECT) {
      found.rejected.push({ line: lineAt(start), reason: 'too_long' });
      depth = 0;
      isInString = false;
      at = start;
      start = -1;
      skip();
    }
    forget(start === -1 ? at : start);
    return found;
  };
  const end = (): JsonObjects => ({
    objects: [],
    rejected: start === -1 && !isInString ? [] : [{ line: lineAt(start === -1 ? at : start), reason: 'unreadable' }],
  });
  return { add, end };
}
