// Writes a report of a group of sites: the numbers of the page that it links to, the sites that moved most, and the sources that are new to one.
import { shownName } from '../../messages/mail/names.ts';
import type { Block, Row } from '../../messages/mail/content.ts';
import type { ReportMail } from '../../messages/mail/number-mails.ts';
import type { Site } from '../../sites/sites.ts';
import type { Counts, GroupNumbers } from '../../stats/answers/group.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { fullNumber } from '../../vocabulary/numbers/format.ts';
import { emptyGroup, GROUP_METRICS, type GroupMetric } from '../../vocabulary/settings/groups.ts';
import { metricRow } from '../../vocabulary/numbers/metrics.ts';
import { NEW_SOURCE_DAYS } from '../../vocabulary/settings/reports.ts';
import { valueName } from '../../vocabulary/questions/value-names.ts';
import { groupAddress, writeAsked } from '../../vocabulary/questions/view-address.ts';
import { type Report, listOf } from './definitions.ts';
import { changeIn, type Figure, type FigureNumber, withSign } from './figures.ts';
import {
  type Asking,
  changeSaid,
  daysOf,
  drawnChart,
  type Edition,
  type GroupReportNumbers,
  headBlock,
  notCountedYet,
  titleOf,
  whenOf,
} from './letter.ts';
import type { Span } from './schedule.ts';
import { periodOf } from './view.ts';

const LISTED = 10;
const MOVED = 3;
/** If a group has so few sites, the list of them says what moved. */
const FEW = 3;
const SOURCES = 5;

type OfGroup = { report: Report; span: Span; group: { id: string; name: string }; sites: readonly Site[] };
type SiteFigure = { site: Site; figure: Figure; totals: Counts; previous: Counts | null };

export async function writeGroupReport(asking: Asking, of: OfGroup): Promise<Edition> {
  const { report, span, group, sites } = of;
  const { stats, now } = asking;
  const metric = metricOf(report);
  const period = periodOf(report, span);
  const asked = { ...period, filters: [], metric };
  const mail: ReportMail = {
    name: report.name,
    title: titleOf(report),
    site: group.name,
    days: daysOf(span),
    isOfGroup: true,
    query: groupAddress(group.id, asked).toString(),
    list: listOf(report),
    sentences: [],
    blocks: [],
  };
  const named = { group: shownName(group.name) };
  if (sites.length === 0)
    return {
      mail: { ...mail, sentences: [[t('The report is of the group “{group}”.', named), emptyGroup()].join(' ')] },
      numbers: { group, metrics: [], sites: [], new_sources: [] },
    };
  const numbers = await stats.group(period, sites, now);
  const isCompared = isCounted(numbers.previous);
  const before = isCompared ? numbers.previous : null;
  const figure = figureOf(metric, numbers.totals, before);
  const bySite = figuresBySite(metric, sites, numbers);
  const counted = {
    group,
    metrics: numbersOf(numbers.totals, before),
    sites: bySite.map(({ site, totals, previous }) => ({ domain: site.domain, metrics: numbersOf(totals, previous) })),
  };
  if (!isCounted(numbers.totals))
    return {
      mail: { ...mail, sentences: [nothingWords(of)] },
      numbers: { ...counted, new_sources: [] },
    };
  const line = (points: GroupNumbers['points']) => points.map((point) => ({ time: point.time, value: point[metric] }));
  const [chart, sources] = await Promise.all([
    numbers.points.length > 1
      ? drawnChart(asking, of, {
          points: line(numbers.points),
          previous: isCompared && numbers.previous_points ? line(numbers.previous_points) : null,
          interval: numbers.interval,
        })
      : undefined, // a line needs two days
    newSourcesOf(asking, of),
  ]);
  return {
    mail: {
      ...mail,
      sentences: [sentenceOf(of, figure), ...(isCompared ? [] : [notCountedYet()])],
      blocks: [
        headBlock(of, figure),
        ...(chart ? [chart] : []),
        {
          kind: 'table',
          title: t('Figures'),
          rows: GROUP_METRICS.map((one) => rowOf(metricRow(one).label, figureOf(one, numbers.totals, before))),
        },
        ...tablesOf(bySite, writeAsked(asked).toString()),
        ...table(
          tn(
            NEW_SOURCE_DAYS / 7,
            'New sources, not seen on that site in the week before',
            'New sources, not seen on that site in the {n} weeks before',
          ),
          sources.map((one) => ({
            name: t('{source}, {site}', { source: valueName('source', one.name), site: one.domain }),
            value: fullNumber(one.unique_visitors),
          })),
        ),
      ],
    },
    numbers: { ...counted, new_sources: sources },
  };
}

const nothingWords = ({ report, span, group }: OfGroup): string =>
  t('Nothing was counted on the sites of “{group}” {when}.', {
    group: shownName(group.name),
    when: whenOf(report, span),
  });

function sentenceOf(of: OfGroup, figure: Figure): string {
  const { report, span, group, sites } = of;
  const counted = {
    metric: metricRow(figure.metric).label,
    value: figure.shown,
    group: shownName(group.name),
    when: whenOf(report, span),
  };
  const change = changeSaid(of, figure);
  return change === undefined
    ? tn(
        sites.length,
        '{metric}: {value} on the one site of “{group}” {when}.',
        '{metric}: {value} on the {n} sites of “{group}” {when}.',
        counted,
      )
    : tn(
        sites.length,
        '{metric}: {value} on the one site of “{group}” {when}, {change}.',
        '{metric}: {value} on the {n} sites of “{group}” {when}, {change}.',
        { ...counted, change },
      );
}

/** Reports of groups are saved with one of these. */
const metricOf = ({ viewed }: Report): GroupMetric =>
  GROUP_METRICS.find((metric) => metric === viewed.metric) ?? 'unique_visitors';

const isCounted = (counts: Counts | null): boolean =>
  counts !== null && GROUP_METRICS.some((metric) => counts[metric] > 0);

function figureOf(metric: GroupMetric, totals: Counts, before: Counts | null): Figure {
  return { metric, value: totals[metric], previous: before?.[metric] ?? null, shown: fullNumber(totals[metric]) };
}

const numbersOf = (totals: Counts, previous: Counts | null): FigureNumber[] =>
  GROUP_METRICS.map((name) => ({ name, value: totals[name], previous: previous?.[name] ?? null }));

/** The largest first. A site on which nothing was counted before is compared with nothing. */
function figuresBySite(metric: GroupMetric, sites: readonly Site[], numbers: GroupNumbers): SiteFigure[] {
  const found = new Map(numbers.sites.map((one) => [one.site_id, one]));
  return sites
    .flatMap((site) => {
      const own = found.get(site.id);
      if (!own) return [];
      const previous = isCounted(own.previous) ? own.previous : null;
      return [{ site, figure: figureOf(metric, own.totals, previous), totals: own.totals, previous }];
    })
    .sort((one, other) => other.figure.value - one.figure.value || (one.site.domain < other.site.domain ? -1 : 1));
}

function tablesOf(bySite: SiteFigure[], query: string): Block[] {
  const row = ({ site, figure }: SiteFigure): Row => ({
    ...rowOf(site.domain, figure),
    path: `/${encodeURIComponent(site.domain)}?${query}`,
  });
  const title = bySite.length > LISTED ? tn(LISTED, 'The largest site', 'The {n} largest sites') : t('Sites');
  const moved = (one: SiteFigure) => one.figure.value - (one.figure.previous ?? one.figure.value);
  const inOrder = bySite.toSorted((one, other) => moved(other) - moved(one));
  const rose = inOrder.filter((one) => moved(one) > 0).slice(0, MOVED);
  const fell = inOrder.filter((one) => moved(one) < 0).reverse();
  return [
    ...table(title, bySite.slice(0, LISTED).map(row)),
    ...(bySite.length > FEW
      ? [
          ...table(t('Sites that gained most'), rose.map(movedRow(moved))),
          ...table(t('Sites that lost most'), fell.slice(0, MOVED).map(movedRow(moved))),
        ]
      : []),
  ];
}

const movedRow =
  (moved: (one: SiteFigure) => number) =>
  (one: SiteFigure): Row => {
    const by = moved(one);
    const text = withSign(fullNumber(Math.abs(by)), by > 0 ? 'up' : 'down');
    return {
      name: one.site.domain,
      value: one.figure.shown,
      change: { text, verdict: by > 0 ? 'good' : 'bad' },
    };
  };

const rowOf = (name: string, figure: Figure): Row => ({
  name,
  value: figure.shown,
  change: changeIn(figure.metric, figure),
});

const table = (title: string, rows: Row[]): Block[] => (rows.length > 0 ? [{ kind: 'table', title, rows }] : []);

async function newSourcesOf(
  { stats, now }: Asking,
  { report, span, sites }: OfGroup,
): Promise<GroupReportNumbers['new_sources']> {
  const found: GroupReportNumbers['new_sources'] = [];
  const question = { ...periodOf(report, span), filters: [], dimension: 'source', metric: 'unique_visitors' } as const;
  for (const site of sites) {
    const own = await stats.newcomers({ ...question, filters: [], site_id: site.id }, site, now);
    found.push(...own.map(({ name, value }) => ({ domain: site.domain, name, unique_visitors: value })));
  }
  return found.sort((one, other) => other.unique_visitors - one.unique_visitors).slice(0, SOURCES);
}
