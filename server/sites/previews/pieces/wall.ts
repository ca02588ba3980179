// The live wall as a piece: who is there now, and below it today's figures, map, lists and goals. The frame's own script keeps what is now up to
// date, from the socket's messages; the rest is drawn again when it has changed, each section by itself, since the map is most of the bytes.
import { t } from '../../../vocabulary/habits/messages.ts';
import { shortNumber } from '../../../vocabulary/numbers/format.ts';
import { piecesOf } from '../../../vocabulary/numbers/sentence.ts';
import { countryName } from '../../../vocabulary/questions/value-names.ts';
import { rowsNow, WALL_LISTS, type WallList, type WallRow } from '../../../vocabulary/settings/wall.ts';
import { barRows } from '../../../vocabulary/texts/bar-rows.ts';
import { escapeXml } from '../../../vocabulary/texts/markup.ts';
import { PERIODS } from '../../../vocabulary/time/periods.ts';
import type { Countries } from '../pictures/map.ts';
import { drawMapPiece, drawNow, type DrawnPiece } from './drawings.ts';
import { type Figures, figuresSection, list, section } from './sections.ts';

type Snapshot = Parameters<typeof drawNow>[0] & Parameters<typeof rowsNow>[0];

/** What a link leaves out is undefined. */
type Wall = {
  snapshot: Snapshot;
  /** Today’s, compared with yesterday’s. */
  figures: Figures;
  /** The lists of the day, which are shown while nobody is there. */
  lists: { [List in WallList]?: readonly WallRow[] | undefined };
  countries: Countries | undefined;
  goals: readonly WallRow[] | undefined;
};

export function drawWall({ snapshot, lists, countries, goals, figures }: Wall): DrawnPiece {
  const now = rowsNow(snapshot, lists.sources?.map(({ name }) => name) ?? []);
  const listed = (Object.keys(WALL_LISTS) as WallList[]).flatMap((list) => {
    const ofDay = lists[list];
    return ofDay ? [listSection(list, now[list], ofDay)] : [];
  });
  return {
    ...drawNow(snapshot),
    more: [
      figuresSection(PERIODS.today.label, figures, figures.before ? t('Compared with yesterday at this time.') : ''),
      ...(countries ? [mapSection(countries)] : []),
      ...listed,
      ...(goals
        ? [section('goals', escapeXml(t('Goals today')), list(goals, t('No goal has been reached yet today.')))]
        : []),
    ],
  };
}

/** The script shows the one, or the other: see src/embed/piece.ts. */
function listSection(name: WallList, now: readonly WallRow[], ofDay: readonly WallRow[]): string {
  const { label } = WALL_LISTS[name];
  const hidden = (isHidden: boolean) => (isHidden ? ' hidden' : '');
  return `<section class="${name}"><div data-now${hidden(now.length === 0)}><h2>${escapeXml(t('{list} now', { list: label }))}</h2><ol>${barRows(now, shortNumber)}</ol></div><div data-day${hidden(now.length > 0)}><h2>${escapeXml(t('{list} today', { list: label }))}</h2>${list(ofDay, t('Nobody yet today.'))}</div></section>`;
}

function mapSection(countries: Countries): string {
  const about = { metric: 'unique_visitors', period: PERIODS.today.label, currency: null } as const;
  const [most] = countries;
  const words = most
    ? t('Where today’s visitors come from<0>, most from {country}</0>', { country: countryName(most.name) })
    : t('Where today’s visitors come from');
  const title = piecesOf(words).map(({ text, mark, after }) => {
    const shown = escapeXml(text + after);
    return mark === undefined ? shown : `<span class="hidden">${shown}</span>`;
  });
  return section('where', title.join(''), drawMapPiece(about, countries).body);
}
