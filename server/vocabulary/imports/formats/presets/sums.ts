// Presets of the mapper of columns: tables of daily sums whose columns their product documents, so that nobody has to say what they become.
// Fathom: the exports of a site, with any of its dimensions and metrics (https://usefathom.com/docs/features/exporting; Swetrix/swetrix,
// backend/apps/community/src/data-import/mappers/fathom.mapper.ts; the meaning of its metrics: https://usefathom.com/api/v1/reports).
// Rybbit: overview-timeseries.csv of the dashboard's export (rybbit-io/rybbit, client/src/app/[site]/components/SubHeader/Export/exportCsv.ts;
// docs/content/docs/api/stats/overview.mdx), with bounce rates in per cent (server/src/api/analytics/getOverview.ts). All other files of its zip have no days.
import { openColumns } from '../columns.ts';
import type { Format } from '../format.ts';
import type { Target } from '../headings.ts';
import { withEventTotals } from '../sums.ts';

type Preset = {
  product: string;
  /** By the columns, in lower case, and the name of the file. */
  isOwn(columns: ReadonlySet<string>, file: string): boolean;
  /** Of two for one purpose, the first that a file has counts. */
  columns: Readonly<Record<string, Target>>;
  ratesInPercent?: true;
};

const openPreset = ({ product, isOwn, columns, ratesInPercent }: Preset): Format => ({
  product,
  csv: {
    kind: 'sums',
    open(head, { name, mapping }) {
      const header = head.header.map((column) => column.toLowerCase());
      const all = new Set(header);
      if (mapping || !isOwn(all, name)) return undefined;
      const owners = new Map(
        Object.entries(columns)
          .filter(([column]) => all.has(column))
          .map(([column, target]) => [target, column] as const)
          .reverse(),
      );
      const taken = new Map([...owners].map(([target, column]) => [header.indexOf(column), target]));
      const table = openColumns(
        head,
        header.map((_, index) => taken.get(index) ?? null),
        { ratesInPercent },
      );
      return table && owners.has('event') ? withEventTotals(table) : table;
    },
  },
});

const FATHOM_ALONE = ['pathname', 'referrer_hostname', 'country_code', 'uniques', 'avg_duration', 'completions'];

export const fathom = openPreset({
  product: 'Fathom',
  isOwn: (columns) => columns.has('datetime') && FATHOM_ALONE.some((column) => columns.has(column)),
  columns: {
    datetime: 'date',
    pageviews: 'pageviews',
    visits: 'visits',
    visitors: 'visitors',
    uniques: 'visitors',
    avg_duration: 'visit_duration',
    bounce_rate: 'bounce_rate',
    pathname: 'page',
    hostname: 'hostname',
    referrer_hostname: 'referrer',
    country_code: 'country',
    city: 'city',
    browser: 'browser',
    operating_system: 'os',
    device_type: 'device',
    utm_source: 'utm_source',
    utm_medium: 'utm_medium',
    utm_campaign: 'utm_campaign',
    utm_content: 'utm_content',
    utm_term: 'utm_term',
    event_name: 'event',
    completions: 'events',
    unique_conversions: 'visitors',
  },
});

export const rybbit = openPreset({
  product: 'Rybbit',
  // weekdays-heatmap.csv has the same columns by the hour: its users would be added to those of the days.
  isOwn: (columns, file) =>
    ['time', 'sessions', 'users', 'pages_per_session', 'session_duration'].every((column) => columns.has(column)) &&
    !/heatmap/.test(file),
  columns: {
    time: 'date',
    sessions: 'visits',
    pageviews: 'pageviews',
    users: 'visitors',
    bounce_rate: 'bounce_rate',
    session_duration: 'visit_duration',
  },
  ratesInPercent: true,
});
