// Turns what Google counted on a day into rows of the store. Google names terms only if enough people searched for them, but counts the
// others in its totals by page, country and device: the difference becomes the rows without a term.
import { parsePage } from '../../vocabulary/texts/url.ts';
import { pageOf } from '../../sites/paths.ts';
import type { SearchRow } from '../../store/search-days.ts';
import { cut } from '../../vocabulary/texts/spelling.ts';
import { countryOf } from './countries.ts';
import type { Counted } from './google.ts';

const MAX_TERM_LENGTH = 500;
type Place = Pick<SearchRow, 'page' | 'hostname' | 'country' | 'device'>;
type Sums = Pick<SearchRow, 'clicks' | 'impressions' | 'positions'>;
type Settings = Readonly<Record<string, unknown>>;

/** `named`: by query, page, country and device. `totals`: by page, country and device. Pages are named as the site counts them. */
export function rowsOfDay(
  { named, totals }: { named: readonly Counted[]; totals: readonly Counted[] },
  settings: Settings,
): SearchRow[] {
  const rows = new Map<string, SearchRow>();
  const withheld = new Map<string, SearchRow>();
  for (const { keys, ...counts } of totals) {
    const place = placeOf(keys, settings);
    add(withheld, { term: '', ...place, ...sumsOf(counts) });
  }
  for (const { keys, ...counts } of named) {
    const [query = '', ...rest] = keys;
    const place = placeOf(rest, settings);
    const sums = sumsOf(counts);
    // Rows without a term are what the totals leave over.
    const term = cut(query.toWellFormed(), MAX_TERM_LENGTH);
    if (term === '') continue;
    add(rows, { term, ...place, ...sums });
    const left = withheld.get(keyOf({ term: '', ...place }));
    if (left) {
      left.clicks -= sums.clicks;
      left.impressions -= sums.impressions;
      left.positions -= sums.positions;
    }
  }
  const over = [...withheld.values()].map(atLeastNothing).filter(({ impressions }) => impressions > 0);
  return [...rows.values(), ...over];
}

/** Google rounds positions, and its two answers may differ by a little. */
function atLeastNothing(row: SearchRow): SearchRow {
  const impressions = Math.max(0, row.impressions, row.clicks);
  return { ...row, clicks: Math.max(0, row.clicks), impressions, positions: Math.max(impressions, row.positions) };
}

function placeOf([url = '', country = '', device = '']: readonly string[], settings: Settings): Place {
  const page = parsePage(url);
  return {
    page: page ? pageOf(page, settings).toWellFormed() : '',
    hostname: page?.hostname ?? '',
    country: countryOf(country),
    device: DEVICES[device.toUpperCase()] ?? '',
  };
}

/** Google's names for devices, and those of visits. */
const DEVICES: Readonly<Record<string, string>> = { DESKTOP: 'desktop', MOBILE: 'mobile', TABLET: 'tablet' };

/** Google gives the average position of whole impressions, so their sum is a whole number. */
function sumsOf({ clicks, impressions, position }: Omit<Counted, 'keys'>): Sums {
  return {
    clicks: Math.round(clicks),
    impressions: Math.round(impressions),
    positions: Math.round(position * impressions),
  };
}

const keyOf = ({ term, page, hostname, country, device }: Omit<SearchRow, keyof Sums>) =>
  JSON.stringify([term, page, hostname, country, device]);

/** Several addresses may be one page. */
function add(rows: Map<string, SearchRow>, row: SearchRow): void {
  const key = keyOf(row);
  const known = rows.get(key);
  if (!known) rows.set(key, row);
  else {
    known.clicks += row.clicks;
    known.impressions += row.impressions;
    known.positions += row.positions;
  }
}
