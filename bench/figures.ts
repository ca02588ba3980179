// The figures that `npm run bench` publishes: from which benchmark each comes, its baseline, and the bar to reach.
import { join } from 'node:path';
import type { Line } from './run-bench.ts';

export type Figure = {
  work: string;
  unit: '' | 'ms' | 'µs' | 'MB' | 'bytes' | '/s' | 'events';
  better: 'more' | 'less';
  /** Takes the figure from the benchmark's lines of JSON. */
  read(lines: Line[]): number | undefined;
  /** Compared with: measured in the same run, or earlier on the same machine. */
  baseline: string;
  bar: number;
};

/** The bars are meant for this machine: what machine.ts measured on two quiet cores of an AMD EPYC (2026-11-30, `scan_ms` on 2026-12-01). */
export const REFERENCE = { loop_ms: 113, scan_ms: 105, bare_request_us: 24.6 };

/** `like`: the work of machine.ts that is slower where this is slower. */
type Bench = {
  name: string;
  script: string;
  args: readonly string[];
  like: keyof typeof REFERENCE;
  figures: Figure[];
};

export const kept = (name: string) => join('node_modules', '.cache', 'footfall', name);
/** Five million events, kept between runs: filling them takes minutes. */
export const TRAFFIC = ['10500', kept('bench-traffic')];
/** Twenty million on the same 91 days, and 9.4 million over twelve months. */
export const LARGE = ['10500', kept('bench-large'), '4', '1', '30,91'];
export const YEAR = ['4900', kept('bench-year'), '1', '4', '364'];

const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
const of = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Line) : {});
const median = (values: (number | undefined)[]) =>
  values.filter((value) => value !== undefined).toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const last = (name: string) => (lines: Line[]) => number(lines.findLast((line) => name in line)?.[name]);
const ofWorkers = (lines: Line[]) => lines.filter((line) => line['workers'] === 2 && 'round' in line);
const rounds = (lines: Line[]) => lines.filter((line) => 'round' in line);
const whole = (filter: string) => (lines: Line[]) =>
  number(lines.find((line) => line['filter'] === filter)?.['whole_ms']);
const wholeOf = (days: number) => (lines: Line[]) =>
  number(lines.find((line) => line['days'] === days && 'whole_ms' in line)?.['whole_ms']);

export const BENCHES: Bench[] = [
  {
    name: 'foot',
    like: 'bare_request_us',
    script: 'bench/foot.ts',
    args: ['10', '3'],
    figures: [
      {
        work: '`POST /foot`, embedded stores, 50 connections, as a share of a bare node:http server',
        unit: '',
        better: 'more',
        read: last('ratio_median'),
        baseline: '0.20',
        bar: 0.28,
      },
      {
        work: 'CPU of a request, all threads together',
        unit: 'µs',
        better: 'less',
        read: (lines) => median(rounds(lines).map((line) => number(line['cpu_us_per_request']))),
        baseline: '119 to 135 µs',
        bar: 80,
      },
      {
        work: 'Slowest of a hundred requests',
        unit: 'ms',
        better: 'less',
        read: (lines) => median(rounds(lines).map((line) => number(of(line['foot'])['p99']))),
        baseline: 'that of the bare server in the same run',
        bar: 30,
      },
    ],
  },
  {
    name: 'dashboard',
    like: 'scan_ms',
    script: 'bench/dashboard.ts',
    args: TRAFFIC,
    figures: [
      ['Whole dashboard, 30 closed days of a site with 5 million events', 'whole', '314 ms', 40] as const,
      ['The same, filtered by a source', 'source', 'about 450 ms', 150] as const,
      ['The same, filtered by a page', 'page', '2,087 ms', 250] as const,
    ]
      .map(([work, filter, baseline, bar]): Figure => {
        return { work, unit: 'ms', better: 'less', read: whole(filter), baseline, bar };
      })
      .concat({
        work: 'Size of an event on disk, with the sums and visits of closed days',
        unit: 'bytes',
        better: 'less',
        read: last('with_closed_days'),
        baseline: '27.4 bytes without these',
        bar: 35,
      }),
  },
  {
    name: 'large',
    like: 'scan_ms',
    script: 'bench/dashboard.ts',
    args: LARGE,
    figures: [
      ['Whole dashboard, 30 closed days of a site with 20 million events', 30, '2,082 ms', 40] as const,
      ['The same, 91 days', 91, '3,018 ms', 60] as const,
    ].map(([work, days, baseline, bar]): Figure => {
      return { work, unit: 'ms', better: 'less', read: wholeOf(days), baseline, bar };
    }),
  },
  {
    name: 'year',
    like: 'scan_ms',
    script: 'bench/dashboard.ts',
    args: YEAR,
    figures: [
      {
        work: 'Whole dashboard, 12 months of 9.4 million events',
        unit: 'ms',
        better: 'less',
        read: wholeOf(364),
        baseline: '1,715 ms',
        bar: 80,
      },
    ],
  },
  {
    name: 'goals',
    like: 'scan_ms',
    script: 'bench/goals.ts',
    args: TRAFFIC,
    figures: [
      {
        work: 'Panel of 20 goals, 30 closed days of a site with 5 million events',
        unit: 'ms',
        better: 'less',
        read: (lines) => number(of(lines.find((line) => line['days'] === 30 && 'panel' in line)?.['panel'])['ms']),
        baseline: '620 to 690 ms, as when it is first asked',
        bar: 120,
      },
    ],
  },
  {
    name: 'drain',
    like: 'bare_request_us',
    script: 'bench/drain.ts',
    args: ['200000'],
    figures: [
      ['Storing a standing queue of events of some minutes ago', 'minutes', '19,800/s'] as const,
      ['Storing a standing queue of events of two hours ago', 'hours', '9,100/s'] as const,
    ].map(([work, age, baseline]): Figure => {
      const read = (lines: Line[]) => number(lines.find((line) => line['age'] === age)?.['per_second']);
      return { work, unit: '/s', better: 'more', read, baseline, bar: 40_000 };
    }),
  },
  {
    name: 'watchers',
    like: 'bare_request_us',
    script: 'bench/watchers.ts',
    args: ['2000', '100', '15'],
    figures: [
      {
        work: 'From an event to a dashboard’s number, 2,000 dashboards at 100 events/s, slowest of a hundred',
        unit: 'ms',
        better: 'less',
        read: (lines) => number(of(lines.at(-1)?.['event_to_dashboard_ms'])['p99']),
        baseline: '776 ms',
        bar: 300,
      },
      {
        work: 'Sent to them a second',
        unit: 'MB',
        better: 'less',
        read: last('mb_per_second'),
        baseline: '29 MB',
        bar: 3,
      },
    ],
  },
  {
    name: 'guests',
    like: 'bare_request_us',
    script: 'bench/guests.ts',
    args: ['2000', kept('bench-guests')],
    figures: [
      {
        work: 'Statements for followed answers, 10,000 viewers of one share link at 20 events/s, as a multiple of one viewer',
        unit: '',
        better: 'less',
        read: last('statements_to_one'),
        baseline: 'one viewer in the same run',
        bar: 1.1,
      },
      {
        work: 'A member’s questions meanwhile, slowest of a hundred, median of four rounds, as a multiple of the same without viewers',
        unit: '',
        better: 'less',
        read: last('p99_to_alone'),
        baseline: 'no viewers in the same run',
        bar: 1.1,
      },
    ],
  },
  {
    name: 'sites',
    like: 'loop_ms',
    script: 'bench/sites.ts',
    args: [],
    figures: [
      {
        work: 'The page of 5,000 sites, until its numbers show',
        unit: 'ms',
        better: 'less',
        read: (lines) => median(lines.map((line) => number(line['shown_ms']))),
        baseline: '4,200 ms',
        bar: 500,
      },
      {
        work: 'Elements of that page',
        unit: '',
        better: 'less',
        read: last('nodes'),
        baseline: '125,000',
        bar: 2000,
      },
    ],
  },
  {
    name: 'page',
    like: 'loop_ms',
    script: 'bench/page.ts',
    args: TRAFFIC,
    figures: [
      ['First figure after opening the dashboard of a site with 5 million events', 'load', 'ms', 350] as const,
      ['From a click on a filter to its figures, chart and panels', 'filter', 'ms', 300] as const,
      [
        'Longest frame of that dashboard at 500 events/s, the browser on a core of its own',
        'dashboard_frames',
        'longest_ms',
        50,
      ] as const,
    ].map(([work, name, field, bar]): Figure => {
      const read = (lines: Line[]) => number(of(lines.find((line) => name in line)?.[name])[field]);
      return { work, unit: 'ms', better: 'less', read, baseline: 'a bare page in the same run', bar };
    }),
  },
  {
    name: 'mixed',
    like: 'bare_request_us',
    script: 'bench/mixed.ts',
    args: TRAFFIC,
    figures: [
      [
        '`POST /foot` at 1,000 events/s beside 10 questions/s and 20 dashboards, slowest of a hundred',
        'foot_ms',
        'p99',
        '190 ms',
        60,
      ] as const,
      ['Those questions, slowest of twenty', 'questions_ms', 'p95', '195 to 223 ms', 60] as const,
    ]
      .map(([work, name, quantile, baseline, bar]): Figure => {
        const read = (lines: Line[]) => number(of(lines.at(-1)?.[name])[quantile]);
        return { work, unit: 'ms', better: 'less', read, baseline, bar };
      })
      .concat(
        {
          work: 'The server’s cores at that',
          unit: '',
          better: 'less',
          read: last('server_cpu_share'),
          baseline: '1',
          bar: 0.5,
        },
        {
          work: 'Its memory at that',
          unit: 'MB',
          better: 'less',
          read: last('server_memory_mb'),
          baseline: '975 MB',
          bar: 600,
        },
      ),
  },
  {
    name: 'paths',
    like: 'scan_ms',
    script: 'bench/paths.ts',
    args: [],
    figures: [
      {
        work: 'A panel of pages, 30 days of a site with 200,000 different paths',
        unit: 'ms',
        better: 'less',
        read: (lines) => number(lines.find(({ panel }) => panel === 'pages')?.['many_ms']),
        baseline: '384 ms',
        bar: 150,
      },
      {
        work: 'The server’s memory after that',
        unit: 'MB',
        better: 'less',
        read: last('server_memory_mb'),
        baseline: '1,000 MB',
        bar: 700,
      },
    ],
  },
  {
    name: 'many-domains',
    like: 'bare_request_us',
    script: 'bench/many-domains.ts',
    args: ['5000', '800', '20'],
    figures: [
      {
        work: '`POST /foot` at 800 events/s over 5,000 sites, slowest of a hundred',
        unit: 'ms',
        better: 'less',
        read: last('p99'),
        baseline: '663 ms',
        bar: 50,
      },
    ],
  },
  {
    name: 'quota',
    like: 'loop_ms',
    script: 'bench/quota.ts',
    args: [],
    figures: [
      {
        work: 'CPU of the quota job of a minute, 1,000 accounts with 5 million events this month',
        unit: 'ms',
        better: 'less',
        read: last('cpu_ms'),
        baseline: '50,000 ms',
        bar: 1000,
      },
    ],
  },
  {
    name: 'kill',
    like: 'bare_request_us',
    script: 'bench/kill.ts',
    args: ['10'],
    figures: [
      {
        work: 'Events lost or doubled by ten `kill -9` under load',
        unit: 'events',
        better: 'less',
        read: (lines) => {
          const line = lines.at(-1) ?? {};
          const [lost, doubled] = [number(line['lost']), number(line['doubled'])];
          return lost === undefined || doubled === undefined ? undefined : lost + doubled;
        },
        baseline: '0',
        bar: 0,
      },
    ],
  },
  {
    name: 'takeover',
    like: 'bare_request_us',
    script: 'bench/takeover.ts',
    args: ['6'],
    figures: [
      {
        work: 'From the death of one of three writers until others store its sites, slowest of six',
        unit: 'ms',
        better: 'less',
        read: last('slowest_ms'),
        baseline: 'the same without a death, in the same run',
        bar: 3000,
      },
    ],
  },
  {
    name: 'workers',
    like: 'bare_request_us',
    script: 'bench/workers.ts',
    args: ['6', '3', '2'],
    figures: [
      {
        work: 'CPU of a request in the process with the stores, behind two workers',
        unit: 'µs',
        better: 'less',
        read: (lines) => median(ofWorkers(lines).map((line) => number(line['cpu_us_of_the_stores']))),
        baseline: 'that of one process without workers in the same run',
        bar: 60,
      },
      {
        work: 'Events lost or doubled behind two workers',
        unit: 'events',
        better: 'less',
        read: (lines) => {
          const line = lines.findLast((one) => one['workers'] === 2 && 'accepted' in one) ?? {};
          const [accepted, rows, different] = ['accepted', 'stored', 'different'].map((name) => number(line[name]));
          if (accepted === undefined || rows === undefined || different === undefined) return undefined;
          return Math.max(0, accepted - different) + (rows - different);
        },
        baseline: '0',
        bar: 0,
      },
    ],
  },
];
