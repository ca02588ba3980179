// The pieces of a shared dashboard that other pages show in a frame, for the server and the dashboard:
// /share/TOKEN?piece=chart&metric=visits&period=7d.
import { textsOf } from '../habits/messages.ts';
import { listedMetric, METRIC_NAMES, type Metric, metricRow } from '../numbers/metrics.ts';
import { type Dimension, DIMENSION_NAMES, dimensionRow } from '../questions/dimensions.ts';
import type { Period } from '../time/periods.ts';
import { PICTURES } from './pictures.ts';

export type PieceOption = 'metric' | 'period' | 'dimension' | 'rows' | 'funnel';

/** `options`: what its address may say. `page`: it is a page of the dashboard, below the address of the link, instead of a drawing. */
type PieceRow = { label: string; options: readonly PieceOption[]; page?: string };

export const PIECES = textsOf(['label'], {
  figure: { label: 'Figure', options: ['metric', 'period'] },
  chart: { label: 'Chart', options: ['metric', 'period'] },
  list: { label: 'List', options: ['dimension', 'metric', 'period', 'rows'] },
  map: { label: 'Map', options: ['metric', 'period'] },
  funnel: { label: 'Funnel', options: ['funnel', 'period'] },
  live: { label: 'Visitors now', options: [] },
  wall: { label: 'Live wall', options: [] },
  overview: { label: 'Overview', options: ['metric', 'period'] },
  dashboard: { label: 'Whole dashboard', options: [], page: '' },
} as const satisfies Record<string, PieceRow>);

export type Piece = keyof typeof PIECES;
export const PIECE_NAMES = Object.keys(PIECES) as [Piece, ...Piece[]];
export const pieceRow = (piece: Piece): PieceRow => PIECES[piece];
export const isPiece = (name: string): name is Piece => Object.hasOwn(PIECES, name);

/** Lists whose values are read without names that only the dashboard has. */
export const PIECE_DIMENSIONS = DIMENSION_NAMES.filter((name) => name !== 'region');
export const PIECE_PERIODS: readonly Period[] = PICTURES.chart.periods;
export const PIECE_ROWS = { fewest: 3, most: 20, usual: 7 } as const;
export const USUAL_DIMENSION: Dimension = 'page';

/** The metrics that a piece can show, the usual one first. */
export function metricsOfPiece(piece: Piece, dimension: Dimension = USUAL_DIMENSION): readonly Metric[] {
  if (piece !== 'list') return piece === 'map' ? PICTURES.map.metrics : PICTURES.chart.metrics;
  const { of } = dimensionRow(dimension);
  const listed = METRIC_NAMES.filter((name) => {
    const { listedFor, unit } = metricRow(name);
    return unit === 'count' && name !== 'orders' && listedFor.includes(of);
  });
  const usual = listedMetric(dimension);
  return [...listed].sort((a, b) => Number(b === usual) - Number(a === usual));
}

/** What an address asks for; what is not given is as usual. */
export type AskedPiece = {
  piece: Piece;
  metric?: Metric | undefined;
  /** By default the last 30 days, or as many of them as the link shows. */
  period?: Period | undefined;
  dimension?: Dimension | undefined;
  rows?: number | undefined;
  /** The id of a funnel. */
  funnel?: string | undefined;
  /** In which language, and by whose habits dates and numbers are written, such as de-DE. */
  lang?: string | undefined;
};
export const PIECE_THEMES = ['auto', 'light', 'dark'] as const;
export type PieceTheme = (typeof PIECE_THEMES)[number];

/** Relative to the address of the link. What is usual is left out. */
export function piecePath({ piece, ...asked }: AskedPiece, theme: PieceTheme = 'auto'): string {
  const { options, page } = pieceRow(piece);
  const params = new URLSearchParams(page === undefined ? { piece } : {});
  for (const option of options) if (asked[option] !== undefined) params.set(option, String(asked[option]));
  if (asked.lang !== undefined) params.set('lang', asked.lang);
  if (theme !== 'auto') params.set('theme', theme);
  return `${page ?? ''}${params.size > 0 ? `?${params}` : ''}`;
}

/** Heading, foot and edges, and what a total below the heading adds. */
const FRAME_PX = 89;
const TOTAL_PX = 36;
const ROW_PX = 34;
const STEP_PX = 44;

/** The height in pixels of a piece that is at least 400 wide, before its script has told. `steps`: of its funnel. */
export function heightOfPiece({ piece, rows = PIECE_ROWS.usual }: AskedPiece, steps = 4): number {
  switch (piece) {
    case 'figure':
    case 'live':
      return FRAME_PX + TOTAL_PX + 56;
    case 'chart':
      return FRAME_PX + TOTAL_PX + 194;
    case 'list':
      return FRAME_PX + rows * ROW_PX;
    case 'map':
      return FRAME_PX + 282;
    case 'funnel':
      return FRAME_PX + TOTAL_PX + steps * STEP_PX;
    case 'wall':
      return 789; // from 560 on; below, its lists are in two columns
    case 'overview':
      return 927; // from 560 on, like the wall
    case 'dashboard':
      return 1600;
  }
}
