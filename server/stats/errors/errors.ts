// The errors of pages: their shapes, and where those of one shape happened.
import { type Interval, intervalsOf } from '../../vocabulary/time/intervals.ts';
import { DAY_MS, dayOf, startOfDay } from '../../vocabulary/time/time.ts';
import { instantAt, UTC, wallTime } from '../../vocabulary/time/zones.ts';
import { askRange } from '../answers/ranges.ts';
import { bucketsUntil, checkInterval } from '../answers/timeseries.ts';
import { type Asked, askTotals, comparisonOf, daysOf, scopeOf } from '../answers/values.ts';
import { firstsShownFrom, showsDay } from '../disclosure/link-rules.ts';
import { fewestOf, isLimited } from '../disclosure/rule.ts';
import type { ErrorsDetailQuestion, ErrorsQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import { startOf } from '../sql/plan.ts';
import type { Scope } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { scopeFor } from '../vitals/vitals.ts';
import type { ErrorFigures, ErrorRow, Errors, ErrorsDetail } from './answers.ts';
import { askFailed, COUNTS, listedShapes } from './sql.ts';

/** A release that was noted on a day of the site, as YYYY-MM-DD. */
type Noted = { day: string; text: string; is_private: boolean };
/** `zone`: that of the site's days, whichever days are asked for. */
export type Releases = { noted: readonly Noted[]; zone: string };

type Row = Rows[number];
const numberOf = (row: Row | undefined, name: string): number => Number(row?.[name] ?? 0);
export const shareOf = (visits: number, all: number): number =>
  all > 0 ? Math.min(100, Math.round((1000 * visits) / all) / 10) : 0;

/** `all`: the visits of the period. */
const figuresOf = (row: Row | undefined, all: number): ErrorFigures => {
  const visits = numberOf(row, 'visits');
  return { count: numberOf(row, 'times'), visits, share: shareOf(visits, all) };
};

const visitsOf = async (reader: Reader, scope: Scope): Promise<number> =>
  (await askTotals(reader, scope, ['visits'])).visits ?? 0;

type Narrowed = Pick<ErrorsQuestion, 'kind' | 'search'>;

async function askFigures(reader: Reader, scope: Scope, narrowed: Narrowed): Promise<ErrorFigures> {
  const own = await scopeFor(reader, scope);
  const [rows, visits] = await Promise.all([
    own ? askFailed(reader, own, { ...narrowed, columns: () => COUNTS }) : [],
    visitsOf(reader, scope),
  ]);
  return figuresOf(rows[0], visits);
}

export async function askErrors(
  reader: Reader,
  asked: Asked<ErrorsQuestion> & { releases: Releases },
): Promise<Errors> {
  const { question, now } = asked;
  const { kind, search } = question;
  const range = await askRange(reader, asked);
  const intervals = intervalsOf(range);
  const interval = checkInterval(intervals[0], intervals);
  const scope = scopeOf(asked, range);
  const comparison = comparisonOf(asked, range);
  const [totals, before, all, list] = await Promise.all([
    askFigures(reader, scope, { kind, search }),
    comparison ? askFigures(reader, comparison.scope, { kind, search }) : null,
    visitsOf(reader, scope),
    askList(reader, scope, asked),
  ]);
  const shapes = list.rows.map((row) => String(row['label']));
  const points = await askTrends(reader, scope, { interval, shapes });
  const times = bucketsUntil(now, range, { interval, seen: points.map((row) => numberOf(row, 'bucket')) });
  const counts = new Map(points.map((row) => [`${row['label']} ${row['bucket']}`, numberOf(row, 'times')]));
  const releases = shownReleases(reader, asked);
  const rows = list.rows.map((row) => {
    const shape = String(row['label']);
    return {
      ...aboutOf(row, { releases, zone: zoneOf(asked), isRounded: isLimited(reader.rule) }),
      ...figuresOf(row, all),
      trend: times.map((time) => counts.get(`${shape} ${time}`) ?? 0),
    };
  });
  return { ...daysOf(range), totals, before, interval, times, rows, total: list.total };
}

const zoneOf = ({ site }: Pick<Asked<unknown>, 'site'>): string => site.timezone ?? UTC;

type Releasing = Pick<Asked<unknown>, 'now'> & { releases: Releases };

/** Viewers see no private notes, and none of days that their link leaves out. */
function shownReleases({ rule }: Reader, { releases, now }: Releasing): Releases {
  if (!rule) return releases;
  const { noted, zone } = releases;
  return { noted: noted.filter(({ day, is_private }) => !is_private && showsDay(rule.link, day, { now, zone })), zone };
}

/** `isRounded`: instants are those of single visitors. */
type Showing = { releases: Releases; zone: string; isRounded: boolean };

function aboutOf(row: Row, { releases, zone, isRounded }: Showing): Omit<ErrorRow, 'trend' | keyof ErrorFigures> {
  const shownAs = (time: number) => (isRounded ? instantAt(startOfDay(wallTime(time, zone)), zone) : time);
  const first = numberOf(row, 'first_seen');
  const isFirstShown = first > 0;
  return {
    shape: String(row['label']),
    message: String(row['message']),
    kind: String(row['cause']) as ErrorRow['kind'],
    file: String(row['path']),
    line: numberOf(row, 'line'),
    first_seen: isFirstShown ? shownAs(first) : null,
    last_seen: shownAs(numberOf(row, 'last_seen')),
    since: isFirstShown ? releaseBefore(first, releases) : null,
  };
}

/** The text of the latest release on the day of an instant or the one before. */
function releaseBefore(time: number, { noted, zone }: Releases): string | null {
  const textOn = (day: string) => noted.findLast((release) => release.day === day)?.text;
  const wall = wallTime(time, zone);
  return textOn(dayOf(wall)) ?? textOn(dayOf(wall - DAY_MS)) ?? null;
}

async function askList(
  reader: Reader,
  scope: Scope,
  asked: Asked<ErrorsQuestion>,
): Promise<{ rows: Rows; total: number }> {
  const { question, now } = asked;
  const own = await scopeFor(reader, scope);
  if (!own) return { rows: [], total: 0 };
  const { page, per_page } = question;
  const skipped = (page - 1) * per_page;
  const isCut = fewestOf(reader.rule) > 0;
  const firstsFrom = firstsShownFrom(reader.rule?.link, { now, zone: zoneOf(asked) });
  const rows = await listedShapes(reader, own, { ...question, skipped, firstsFrom, isCut });
  if (isCut) return { rows: rows.slice(skipped, skipped + per_page), total: rows.length };
  return { rows, total: numberOf(rows[0], 'total') };
}

async function askTrends(
  reader: Reader,
  scope: Scope,
  { interval, shapes }: { interval: Interval; shapes: string[] },
): Promise<Rows> {
  const own = shapes.length > 0 ? await scopeFor(reader, scope) : undefined;
  if (!own) return [];
  return askFailed(reader, own, {
    shapes,
    columns: () => `error_shape AS label, ${startOf(interval, own.range, 'time')} AS bucket, ${COUNTS}`,
    rest: 'GROUP BY label, bucket',
  });
}

const LISTED = { browsers: 'browser', pages: 'page', devices: 'device', countries: 'country' } as const;
type ListedName = keyof typeof LISTED;
const LONGEST = 10;

export async function askErrorsDetail(reader: Reader, asked: Asked<ErrorsDetailQuestion>): Promise<ErrorsDetail> {
  const { question, now } = asked;
  const shapes = [question.shape];
  const range = await askRange(reader, asked);
  const intervals = intervalsOf(range);
  const interval = checkInterval(intervals[0], intervals);
  const scope = scopeOf(asked, range);
  const [points, own] = await Promise.all([askTrends(reader, scope, { interval, shapes }), scopeFor(reader, scope)]);
  const listOf = async (column: (typeof LISTED)[ListedName]) => {
    const rows = own
      ? await askFailed(reader, own, {
          shapes,
          columns: () => `${column} AS label, ${COUNTS}`,
          rest: 'GROUP BY label ORDER BY times DESC, label',
        })
      : [];
    return rows
      .slice(0, LONGEST)
      .map((row) => ({ name: String(row['label']), count: numberOf(row, 'times'), visits: numberOf(row, 'visits') }));
  };
  const lists = await Promise.all(
    (Object.keys(LISTED) as ListedName[]).map(async (name) => [name, await listOf(LISTED[name])]),
  );
  const counts = new Map(points.map((row) => [numberOf(row, 'bucket'), numberOf(row, 'times')]));
  const times = bucketsUntil(now, range, { interval, seen: [...counts.keys()] });
  return {
    ...daysOf(range),
    ...(Object.fromEntries(lists) as Pick<ErrorsDetail, ListedName>),
    interval,
    points: times.map((time) => ({ time, count: counts.get(time) ?? 0 })),
  };
}
