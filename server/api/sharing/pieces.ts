// One piece of a shared dashboard, drawn. It consists of questions that the dashboard asks, too, so a link holds its viewers to the same.
import { z } from 'zod';
import { languageTag } from '../../directory/habits.ts';
import { Refusal } from '../../errors.ts';
import { habitsOfAddress, inHabits } from '../../process/habits.ts';
import { resolveFunnel } from '../../sites/definitions/funnels.ts';
import {
  drawOverview,
  figuresInOverview,
  OVERVIEW_LISTS,
  type OverviewList,
} from '../../sites/previews/pieces/overview.ts';
import { drawWall } from '../../sites/previews/pieces/wall.ts';
import { spanName } from '../../sites/previews/pictures/asked.ts';
import type { Figures } from '../../sites/previews/pieces/sections.ts';
import {
  drawChart,
  drawFigure,
  drawFunnelPiece,
  drawList,
  drawMapPiece,
  type DrawnPiece,
  drawNow,
} from '../../sites/previews/pieces/drawings.ts';
import { currencyOf } from '../../stats/answers/values.ts';
import { breakdownQuestion, funnelQuestion, summaryQuestion } from '../../stats/query.ts';
import type { Stats } from '../../stats/run.ts';
import { hasCounterpart } from '../../vocabulary/numbers/figures.ts';
import { METRIC_NAMES, type Metric } from '../../vocabulary/numbers/metrics.ts';
import { type Dimension, dimensionRow } from '../../vocabulary/questions/dimensions.ts';
import { valueName } from '../../vocabulary/questions/value-names.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import {
  type AskedPiece,
  metricsOfPiece,
  type Piece,
  PIECE_DIMENSIONS,
  PIECE_NAMES,
  PIECE_PERIODS,
  PIECE_ROWS,
  PIECE_THEMES,
  type PieceOption,
  pieceRow,
  USUAL_DIMENSION,
} from '../../vocabulary/settings/pieces.ts';
import { USUAL_PICTURE, usualSpan } from '../../vocabulary/settings/pictures.ts';
import { figuresOnWall, WALL_LIST_NAMES, WALL_LISTS, WALL_ROWS } from '../../vocabulary/settings/wall.ts';
import { type Part, partOfDimension, showsPart } from '../../vocabulary/settings/share-links.ts';
import type { AskedPeriod } from '../../vocabulary/time/periods.ts';
import { checkPart } from '../../stats/disclosure/link-rules.ts';
import type { SiteAccess, Viewer } from '../../sites/access.ts';
import { usableGoals } from '../dashboard/goals.ts';
import { funnelFigures } from '../funnels.ts';
import { snapshotFor } from '../snapshots.ts';
import type { Services } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';
import { askOverTime } from './over-time.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Countries of a map. */
const MAX_COUNTRIES = 300;

const oneOf = <Value extends string>(values: readonly Value[]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).optional();
const { fewest, most } = PIECE_ROWS;
const ROWS = `must be a whole number from ${fewest} to ${most}`;

const options = {
  metric: oneOf(METRIC_NAMES),
  period: oneOf(PIECE_PERIODS),
  dimension: oneOf(PIECE_DIMENSIONS),
  rows: z.coerce.number({ error: ROWS }).int(ROWS).min(fewest, ROWS).max(most, ROWS).optional(),
  funnel: z.string().max(MAX_RECORD_ID).optional(),
} satisfies Record<PieceOption, z.ZodType>;

const lang = languageTag.optional();

/** The parameters of a piece's address. */
export const pieceParameters = (piece: Piece) =>
  z.strictObject({
    piece: oneOf(PIECE_NAMES),
    lang,
    theme: z.enum(PIECE_THEMES, { error: `must be one of ${PIECE_THEMES.join(', ')}` }).default('auto'),
    ...Object.fromEntries(pieceRow(piece).options.map((option) => [option, options[option]])),
  });

/** The same for the socket, which asks for drawn pieces alone. */
export const askedPiece = z.object({ piece: z.enum(PIECE_NAMES), lang, ...options });

type Asking = Pick<Services, 'directory' | 'windows' | 'now'> & { viewer: Viewer; access: SiteAccess; stats: Stats };
type Of = { asking: Asking; asked: AskedPiece; span: AskedPeriod; period: string; metric: Metric };

/** Throws a refusal for what the viewer's link does not show. */
export const drawPiece = (asking: Asking, asked: AskedPiece): Promise<DrawnPiece> =>
  inHabits(habitsOfAddress(asked.lang), () => draw(asking, asked));

async function draw(asking: Asking, asked: AskedPiece): Promise<DrawnPiece> {
  const drawing = DRAWINGS[asked.piece];
  if (!drawing) throw new Refusal('bad_request', t('piece: this one is a page of the dashboard.'));
  const span = spanOf(asking, asked);
  return drawing({ asking, asked, span, period: spanName(span), metric: metricOf(asked) });
}

function metricOf({ piece, metric, dimension }: AskedPiece): Metric {
  const metrics = metricsOfPiece(piece, dimension);
  const chosen = metric ?? metrics[0] ?? USUAL_PICTURE.metric;
  if (!metrics.includes(chosen))
    throw new Refusal('bad_request', t('metric: must be one of {value}.', { value: metrics.join(', ') }));
  return chosen;
}

function spanOf({ viewer, access, now }: Asking, { period }: AskedPiece): AskedPeriod {
  const shown = viewer.kind === 'share' ? viewer.rules.period : null;
  return period ? { period } : usualSpan(shown, now(), access.site.timezone ?? undefined);
}

const aboutOf = ({ asking, period, metric }: Of) => ({ metric, period, currency: currencyOf(asking.access.site) });

/** A link with days of its own shows no others. */
const maySeeBefore = ({ viewer }: Asking): boolean => viewer.kind !== 'share' || viewer.rules.period === null;

function overOf({ asking, span, metric }: Of) {
  const { stats, access, now } = asking;
  const compares = maySeeBefore(asking);
  return askOverTime(stats, { ...span, metric, compares }, { site: access.site, now: now() });
}

function rowsOf({ asking, span, metric }: Of, dimension: Dimension, per_page: number) {
  const { stats, access, now } = asking;
  const question = breakdownQuestion.parse({
    site_id: access.site.id,
    ...span,
    dimension,
    metrics: [metric],
    per_page,
  });
  return stats
    .breakdown(question, access.site, now())
    .then(({ rows }) => rows.map(({ name, values }) => ({ name, value: values[metric] ?? 0 })));
}

const DRAWINGS: Partial<Record<Piece, (of: Of) => Promise<DrawnPiece>>> = {
  figure: async (of) => drawFigure(aboutOf(of), await overOf(of)),
  chart: async (of) => drawChart(aboutOf(of), await overOf(of)),
  map: async (of) => drawMapPiece(aboutOf(of), await rowsOf(of, 'country', MAX_COUNTRIES)),
  list: async (of) => {
    const { dimension = USUAL_DIMENSION, rows = PIECE_ROWS.usual } = of.asked;
    const [found, nameOf] = await Promise.all([rowsOf(of, dimension, rows), namesOf(of.asking, dimension)]);
    const { label } = dimensionRow(dimension);
    return drawList(
      aboutOf(of),
      label,
      found.map(({ name, value }) => ({ name: nameOf(name), value })),
    );
  },
  funnel: async ({ asking, asked, span, period }) => {
    const { directory, stats, access, now } = asking;
    const { site } = access;
    if (asked.funnel === undefined) throw new Refusal('bad_request', t('funnel: must be the id of a funnel.'));
    const funnel = await resolveFunnel(directory, { siteId: site.id, id: asked.funnel });
    const question = funnelQuestion.parse({ site_id: site.id, ...span });
    const figures = await funnelFigures(stats, funnel, { question, site, now: now() });
    return drawFunnelPiece(figures.name, period, figures.steps);
  },
  live: async ({ asking }) => {
    checkPart(ruleFor(asking.viewer, asking.access)?.link, 'live');
    return drawNow(await snapshotFor(asking));
  },
  wall: async (of) => {
    const { asking } = of;
    checkPart(ruleFor(asking.viewer, asking.access)?.link, 'live');
    const today: Of = { ...of, span: { period: 'today' } };
    const [snapshot, figures, countries, goals, ...lists] = await Promise.all([
      snapshotFor(asking),
      figuresOf(today, figuresOnWall),
      shownRowsOf(today, 'country', MAX_COUNTRIES),
      goalsOf(today),
      ...WALL_LIST_NAMES.map((list) => namedRowsOf(today, WALL_LISTS[list].dimension, WALL_ROWS)),
    ]);
    const named = Object.fromEntries(WALL_LIST_NAMES.map((list, index) => [list, lists[index]]));
    return drawWall({ snapshot, countries, goals, figures, lists: named });
  },
  overview: async (of) => {
    const visitors: Of = { ...of, metric: 'unique_visitors' };
    const names = Object.keys(OVERVIEW_LISTS) as OverviewList[];
    const [over, figures, countries, goals, ...lists] = await Promise.all([
      overOf(of),
      figuresOf(of, figuresInOverview),
      shownRowsOf(visitors, 'country', MAX_COUNTRIES),
      goalsOf(of),
      // Pages stand beside the map.
      ...names.map((name) => namedRowsOf(visitors, name, name === 'page' ? PIECE_ROWS.usual : WALL_ROWS)),
    ]);
    const named = Object.fromEntries(names.map((name, index) => [name, lists[index]]));
    const chart = drawChart(aboutOf(of), over);
    return drawOverview({ chart, figures, period: of.period, countries, goals, lists: named });
  },
};

/** The figures of the period beside those of the time before. */
async function figuresOf({ asking, span }: Of, choose: typeof figuresOnWall): Promise<Figures> {
  const { stats, access, now } = asking;
  const compare = maySeeBefore(asking) ? 'previous' : 'none';
  const question = summaryQuestion.parse({ site_id: access.site.id, ...span, compare });
  const summary = await stats.summary(question, access.site, now());
  const before = compare === 'previous' && hasCounterpart(summary) ? summary.compare : null;
  const figures = choose(summary.metrics).map(({ name, value, previous }) => {
    return { metric: name, value, previous: before ? previous : null };
  });
  return { figures, before, currency: currencyOf(access.site) };
}

/** Undefined for a list that the link does not show. */
async function shownRowsOf(of: Of, dimension: Dimension, most: number) {
  return shows(of, partOfDimension(dimension)) ? rowsOf(of, dimension, most) : undefined;
}

/** The same under the names that people read. */
async function namedRowsOf(of: Of, dimension: Dimension, most: number) {
  const rows = await shownRowsOf(of, dimension, most);
  return rows?.map(({ name, value }) => ({ name: valueName(dimension, name), value }));
}

function shows({ asking }: Of, part: Part): boolean {
  const link = ruleFor(asking.viewer, asking.access)?.link;
  return !link || showsPart(link, part);
}

/** The goals that somebody reached. Undefined where the link shows none. */
async function goalsOf(of: Of) {
  if (!shows(of, 'goals')) return undefined;
  const [rows, nameOf] = await Promise.all([
    rowsOf({ ...of, metric: 'conversions' }, 'goal', WALL_ROWS),
    namesOf(of.asking, 'goal'),
  ]);
  return rows.filter(({ value }) => value > 0).map(({ name, value }) => ({ name: nameOf(name), value }));
}

/** Goals have ids, whose names are the site's. */
async function namesOf({ directory, viewer, access }: Asking, dimension: Dimension) {
  if (dimension !== 'goal') return (value: string) => valueName(dimension, value);
  const goals = await usableGoals({ directory, viewer, siteId: access.site.id });
  const names = new Map(goals.map(({ id, name }) => [id, name]));
  return (id: string) => names.get(id) ?? id;
}
