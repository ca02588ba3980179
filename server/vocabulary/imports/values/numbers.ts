// Counts and durations as exports write them.

/** Of one row. A thousand times what the largest sites have in a day, and sums of millions of rows stay exact. */
const MAX_COUNT = 1_000_000_000;
const MAX_SECONDS = 1_000_000_000_000;

const PLAIN = /^\d{1,15}$/;
/** Thousands by a comma, a full stop, a space or an apostrophe, as in 1,234 or 1.234: counts have no decimals. */
const GROUPED = /^\d{1,3}(?:([,.'’ \u00a0\u202f])\d{3})(?:\1\d{3})*$/;
const ZERO_DECIMALS = /^(\d{1,15})[.,]0{1,6}$/;

/** A count, 0 for an empty cell; undefined for anything that is none, such as a negative number or a formula. */
export function readCount(text: string): number | undefined {
  return bounded(wholeOf(text), MAX_COUNT);
}

function wholeOf(text: string): number | undefined {
  if (PLAIN.test(text)) return Number(text);
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '-') return 0;
  if (PLAIN.test(trimmed)) return Number(trimmed);
  if (trimmed.length < 24 && GROUPED.test(trimmed)) return Number(trimmed.replaceAll(/\D/g, ''));
  const decimal = ZERO_DECIMALS.exec(trimmed)?.[1];
  return decimal === undefined ? undefined : Number(decimal);
}

/** False for a cell without a number, which is not the same as 0. */
export const isTold = (text: string): boolean => text !== '' && text.trim() !== '' && text.trim() !== '-';

const CLOCK = /^(?:(\d{1,6}):)?([0-5]?\d):([0-5]?\d)(?:[.,]\d{1,6})?$/;
const NUMBER = /^\d{1,15}(?:[.,]\d{1,20})?$/;

/** Seconds, as 12, 12.5 or 0:00:12. */
export function readSeconds(text: string): number | undefined {
  const trimmed = text.trim();
  const [, hours = '0', minutes, seconds] = CLOCK.exec(trimmed) ?? [];
  if (minutes !== undefined) return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return bounded(readDecimal(trimmed), MAX_SECONDS);
}

/** A column of shares is in per cent if one of its cells has the sign, or is above 1: a cell alone does not tell 1% from 100%. */
export const areInPercent = (cells: readonly string[]): boolean =>
  cells.some((cell) => cell.trim().endsWith('%') || (readDecimal(cell.trim()) ?? 0) > 1);

/** A share, as 35%, or as 35 or 0.35 by what its column is written in. Between 0 and 1. */
export function readShare(text: string, { inPercent }: { inPercent: boolean }): number | undefined {
  const trimmed = text.trim();
  const hasSign = trimmed.endsWith('%');
  const value = readDecimal(hasSign ? trimmed.slice(0, -1).trim() : trimmed);
  return bounded(hasSign || inPercent ? value && value / 100 : value, 1);
}

function readDecimal(text: string): number | undefined {
  if (text === '' || text === '-') return 0;
  return NUMBER.test(text) ? Number(text.replace(',', '.')) : undefined;
}

const bounded = (value: number | undefined, most: number) => (value !== undefined && value <= most ? value : undefined);
