// The dashboard at a glance as a piece: a metric over time, and below it the figures of the period, and who came from where to which pages, on what.
import { t, texts } from '../../../vocabulary/habits/messages.ts';
import { dateRange } from '../../../vocabulary/numbers/format.ts';
import type { Metric } from '../../../vocabulary/numbers/metrics.ts';
import type { Dimension } from '../../../vocabulary/questions/dimensions.ts';
import type { WallRow } from '../../../vocabulary/settings/wall.ts';
import { escapeXml } from '../../../vocabulary/texts/markup.ts';
import type { Countries } from '../pictures/map.ts';
import { drawMapPiece, type DrawnPiece } from './drawings.ts';
import { type Figures, figuresSection, list, section } from './sections.ts';

/** The lists by visitors. Their names are those of the panels that have them. */
export const OVERVIEW_LISTS = texts({
  page: 'Pages',
  source: 'Sources',
  device: 'Devices',
} as const satisfies { [Of in Dimension]?: string });
export type OverviewList = keyof typeof OVERVIEW_LISTS;

/** The last one only where the site has any. */
const FIGURES: readonly Metric[] = [
  'unique_visitors',
  'visits',
  'pageviews',
  'bounce_rate',
  'visit_duration',
  'revenue',
];
export const figuresInOverview = <Figure extends { name: Metric; value: number }>(all: readonly Figure[]): Figure[] =>
  FIGURES.flatMap(
    (name) => all.find((figure) => figure.name === name && (name !== 'revenue' || figure.value > 0)) ?? [],
  );

/** What a link leaves out is undefined. */
type Overview = {
  /** The metric over time. */
  chart: DrawnPiece;
  figures: Figures;
  period: string;
  lists: { [Of in OverviewList]?: readonly WallRow[] | undefined };
  countries: Countries | undefined;
  goals: readonly WallRow[] | undefined;
};

export function drawOverview({ chart, figures, period, lists, countries, goals }: Overview): DrawnPiece {
  const nothing = t('Nothing in this time yet.');
  const days = figures.before && dateRange(figures.before.date_from, figures.before.date_to);
  const before = days ? t('Compared with {days}', { days }) : '';
  const about = { metric: 'unique_visitors', period, currency: null } as const;
  const listed = (Object.keys(OVERVIEW_LISTS) as OverviewList[]).map((of) => {
    const rows = lists[of];
    return rows && section(`${of}s`, escapeXml(OVERVIEW_LISTS[of]), list(rows, nothing));
  });
  const sections = [
    figuresSection(t('Figures'), figures, before),
    countries && section('where', escapeXml(t('Places')), drawMapPiece(about, countries).body),
    ...listed,
    goals && section('goals', escapeXml(t('Goals')), list(goals, nothing)),
  ];
  return { ...chart, more: sections.filter((html) => html !== undefined) };
}
