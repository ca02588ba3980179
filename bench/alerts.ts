// Simulates a year of traffic for several kinds of sites with planted incidents: how many the alerts find, and how many alarms are false.
// Usage: node bench/alerts.ts [seeds] [sensitivity]
import { simulate, SITE_KINDS } from '../tests/setup/notifications/simulation.ts';
import { SENSITIVITY_NAMES } from '../server/vocabulary/settings/alerts.ts';

const seeds = Number(process.argv[2] ?? 3);
const sensitivity = SENSITIVITY_NAMES.find((name) => name === process.argv[3]) ?? 'usual';

const started = performance.now();
const rows = SITE_KINDS.map((kind) => {
  const outcomes = Array.from({ length: seeds }, (_, seed) => simulate(kind, seed + 1, sensitivity));
  const sum = (of: (outcome: (typeof outcomes)[number]) => number) => outcomes.reduce((all, one) => all + of(one), 0);
  return {
    site: kind.name,
    planted: sum(({ planted }) => planted.length),
    found: sum(({ planted, missed }) => planted.length - missed.length),
    'false a month': (sum(({ falseAlarms }) => falseAlarms.length) / seeds / 12).toFixed(2),
    'hours to alarm': (sum(({ delayHours }) => delayHours) / seeds).toFixed(1),
    missed: outcomes.flatMap(({ missed }) => missed.map(({ shape }) => shape)).join(' '),
  };
});
console.table(rows);
console.log(`${seeds} years of each site, in ${Math.round(performance.now() - started)} ms`);
