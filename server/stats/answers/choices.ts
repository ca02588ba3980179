// The choices in menus: the property keys and the currencies that a site has sent.
import { isLimited } from '../disclosure/rule.ts';
import { changedRows, MAX_ROWS } from '../disclosure/shown.ts';
import type { PropertiesQuestion, SummaryQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { buildCurrencies, buildProperties } from '../sql/sql.ts';
import { type Asked, scopeOf } from './values.ts';

/** `events` counts the events, or the payments, with that key. Most first. */
export type Properties = { keys: { name: string; events: number }[] };
/** Most orders first. */
export type Currencies = {
  currencies: { currency: string; orders: number; revenue: number; average_order: number; refunds: number }[];
};

/** A menu with more keys than this is of no use. */
const MAX_KEYS = 50;
/** Enough to include the currency of a shop's payments, next to those that strangers made up. */
const MAX_CURRENCIES = 6;

export async function askProperties(reader: Reader, asked: Asked<PropertiesQuestion>): Promise<Properties> {
  const { rule } = reader;
  if (rule && !rule.properties) return { keys: [] };
  const whole = scopeOf(asked, await askRange(reader, asked));
  const scope = whole.filters.length > 0 ? await reader.narrowed(whole) : await reader.whole(whole);
  if (!scope) return { keys: [] };
  const { of } = asked.question;
  const statement = buildProperties(scope, { of, limit: isLimited(rule) ? MAX_ROWS : MAX_KEYS });
  const found = await reader.remembered(scope, statement, changedRows(['events'], scope.filters));
  const rows = found.slice(0, MAX_KEYS);
  return { keys: rows.map((row) => ({ name: String(row['label']), events: Number(row['events']) })) };
}

export async function askCurrencies(reader: Reader, asked: Asked<SummaryQuestion>): Promise<Currencies> {
  if (reader.rule) return { currencies: [] }; // for a viewer, most rows would be single orders
  const scope = scopeOf(asked, await askRange(reader, asked));
  const rows = await reader.remembered(scope, buildCurrencies(scope, MAX_CURRENCIES), () => []);
  return {
    currencies: rows.map((row) => ({
      currency: String(row['label']),
      orders: Number(row['orders']),
      revenue: Number(row['revenue']),
      average_order: Number(row['average_order']),
      refunds: Number(row['refunds']),
    })),
  };
}
