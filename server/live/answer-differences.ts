// What changed between two answers, as short as their lists allow: rows that moved are named by their old place. For values that JSON
// represents without loss. `src/lib/live/answer-changes.ts` applies the differences.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** `[value]` replaces. `[0, items]` is about a list. An object is about the changed fields of an object; 0 removes a field. */
export type Difference = [value: Json] | [0, ListItem[]] | { [key: string]: Difference | 0 };
/** Items of the old list from `from` on; one old item that has changed; a new item. */
type ListItem = [from: number, count: number] | [from: number, changed: Difference] | [value: Json];

/** Undefined if the values are the same. */
export function differenceOf(before: Json, after: Json): Difference | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return differenceOfLists(before, after);
  if (isObject(before) && isObject(after)) return differenceOfObjects(before, after);
  return before === after ? undefined : [after];
}

function differenceOfObjects(before: Fields, after: Fields): Difference | undefined {
  const gone = Object.keys(before).flatMap((key): [string, 0][] => (Object.hasOwn(after, key) ? [] : [[key, 0]]));
  const changed = Object.entries(after).flatMap(([key, value]): [string, Difference][] => {
    const difference = Object.hasOwn(before, key) ? differenceOf(before[key] as Json, value) : ([value] as [Json]);
    return difference ? [[key, difference]] : [];
  });
  return gone.length + changed.length > 0 ? Object.fromEntries([...gone, ...changed]) : undefined;
}

function differenceOfLists(before: Json[], after: Json[]): Difference | undefined {
  const places = new Map(before.map((item, index) => [nameOf(item, index), index]));
  const items: ListItem[] = [];
  after.forEach((item, index) => {
    const name = nameOf(item, index);
    const isInPlace = index < before.length && nameOf(before[index] as Json, index) === name;
    const from = isInPlace ? index : places.get(name);
    const old = from === undefined ? undefined : before[from];
    if (from === undefined || old === undefined) return items.push([item]);
    const changed = differenceOf(old, item);
    if (changed) return items.push([from, changed]);
    const last = items.at(-1);
    if (last && isRun(last) && last[0] + last[1] === from) last[1] += 1;
    else items.push([from, 1]);
  });
  const [only] = items;
  const isSame = before.length === after.length && items.length <= 1 && (!only || (isRun(only) && only[0] === 0));
  return isSame ? undefined : [0, items];
}

type Fields = { [key: string]: Json };
const isObject = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRun = (item: ListItem): item is [number, number] => item.length === 2 && typeof item[1] === 'number';

/** The name of a row, the time of a point, or else the place of an item: the old list is searched for it. */
function nameOf(item: Json, index: number): string | number {
  if (!isObject(item)) return index;
  const { name, time } = item;
  return typeof name === 'string' ? `name ${name}` : typeof time === 'number' ? `time ${time}` : index;
}
