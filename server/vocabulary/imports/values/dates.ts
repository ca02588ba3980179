// Days and instants as exports write them. A day that does not exist is none.
import { readDay } from '../../time/time.ts';
import { remember } from './memo.ts';

/** The order of a date such as 03/04/2025, which its file decides. */
export type DateOrder = 'day_first' | 'month_first';

/** The web began in 1991; days after 2100 are mistakes. */
const isPlausible = (year: string) => year >= '1991' && year <= '2100';

const YEAR_FIRST = /^(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?:$|[T ])/;
/** As Google Analytics writes an hour. */
const DATE_HOUR = /^(\d{4})(\d\d)(\d\d)(?:[01]\d|2[0-3])$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:$|[T ,])/;
const pad = (text: string) => text.padStart(2, '0');

/** Reads YYYY-MM-DD, YYYYMMDD, 2025/1/31, 31.01.2025 and 01/31/2025, each also with a time after it, and YYYYMMDDHH. */
export const dayReader = (order: DateOrder): ((text: string) => string | undefined) =>
  remember((text) => {
    const [, year = '', separator = '', month = '', day = ''] = YEAR_FIRST.exec(text) ?? [];
    const [, hourYear = '', hourMonth = '', hourDay = ''] = DATE_HOUR.exec(text) ?? [];
    if (hourYear !== '') return real(hourYear, hourMonth, hourDay);
    if (year !== '') {
      if (separator === '' && month.length + day.length < 4) return undefined;
      return real(year, month, day);
    }
    const [, first = '', mark, second = '', last = ''] = YEAR_LAST.exec(text) ?? [];
    if (last === '') return undefined;
    const isDayFirst = order === 'day_first' || mark === '.';
    return isDayFirst ? real(last, second, first) : real(last, first, second);
  });

function real(year: string, month: string, day: string): string | undefined {
  const text = `${year}-${pad(month)}-${pad(day)}`;
  return isPlausible(year) && readDay(text) !== undefined ? text : undefined;
}

/** The order that the dates of a column have; undefined if they can be read in both, or in neither. */
export function orderOf(texts: readonly string[]): DateOrder | undefined {
  let found: DateOrder | undefined;
  for (const text of texts) {
    const [, first, mark, second] = YEAR_LAST.exec(text) ?? [];
    if (first === undefined) continue;
    const told = mark === '.' || Number(first) > 12 ? 'day_first' : Number(second) > 12 ? 'month_first' : undefined;
    if (told && found && told !== found) return undefined;
    found ??= told;
  }
  return found;
}

export const isYearLast = (text: string): boolean => YEAR_LAST.test(text);

const INSTANT = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/;

/** Reads an instant of ISO 8601, also with a space for the T; without a zone it is UTC. */
export function readInstant(text: string): number | undefined {
  const [, day, hour, minute, second = '0', fraction = '0', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (day === undefined || !isPlausible(day.slice(0, 4))) return undefined;
  const midnight = midnightOf(day);
  if (midnight === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const clockMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return midnight + clockMs + Math.floor(Number(`0.${fraction}`) * 1000) - zoneMs(zone);
}

const midnightOf = remember(readDay);

function zoneMs(zone: string): number {
  if (zone === 'Z' || zone === 'UTC') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', ''));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** An instant from a number of units since 1970, such as microseconds. */
export function instantOf(value: unknown, { perSecond }: { perSecond: number }): number | undefined {
  const time = Math.floor((Number(value) / perSecond) * 1000);
  const isReal = Number.isFinite(time) && time > 0 && time < 4_133_980_800_000;
  return isReal && (typeof value === 'number' || typeof value === 'string') ? time : undefined;
}
