// What the live wall shows, for the dashboard and for the piece of it that other pages show.
import { textsOf } from '../habits/messages.ts';
import type { Metric } from '../numbers/metrics.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { spellingBy } from '../questions/spellings.ts';
import { valueName } from '../questions/value-names.ts';

/** The last two only where the site has any. */
const FIGURES: readonly Metric[] = ['unique_visitors', 'pageviews', 'visits', 'events', 'revenue'];
const MOST_FIGURES = 4;

/** Today's figures. */
export const figuresOnWall = <Figure extends { name: Metric; value: number }>(all: readonly Figure[]): Figure[] =>
  FIGURES.flatMap((name) => all.find((figure) => figure.name === name) ?? [])
    .filter(({ name, value }) => value > 0 || (name !== 'events' && name !== 'revenue'))
    .slice(0, MOST_FIGURES);

/** The lists of who is there now. Whoever may not see the dimension of a list does not get the list. */
export const WALL_LISTS = textsOf(['label'], {
  pages: { label: 'Pages', dimension: 'page' },
  sources: { label: 'Sources', dimension: 'source' },
  countries: { label: 'Countries', dimension: 'country' },
} as const satisfies Record<string, { label: string; dimension: Dimension }>);
export type WallList = keyof typeof WALL_LISTS;
export const WALL_LIST_NAMES = Object.keys(WALL_LISTS) as WallList[];
/** How many rows each list has in the piece. */
export const WALL_ROWS = 5;

export type WallRow = { name: string; value: number };
/**
 * Current visitors by the page and country of their last event, and by the source of their visit's first event. Most visitors first, ties
 * by name.
 */
export type ListsNow = {
  [List in WallList]: ({ [Name in (typeof WALL_LISTS)[List]['dimension']]: string } & { visitors: number })[];
};

/** Who is there now, under the names that people read. `today`: sources of the day, since live ones come as they are stored. */
export function rowsNow(
  { pages = [], sources = [], countries = [] }: Partial<ListsNow>,
  today: readonly string[],
): Record<WallList, WallRow[]> {
  const spelled = spellingBy(today);
  const named = (list: WallList, rows: WallRow[]) =>
    rows.slice(0, WALL_ROWS).map(({ name, value }) => ({ name: valueName(WALL_LISTS[list].dimension, name), value }));
  return {
    pages: named(
      'pages',
      pages.map(({ page, visitors }) => ({ name: page, value: visitors })),
    ),
    sources: named(
      'sources',
      sources.map(({ source, visitors }) => ({ name: spelled(source), value: visitors })),
    ),
    countries: named(
      'countries',
      countries.map(({ country, visitors }) => ({ name: country, value: visitors })),
    ),
  };
}
