// Lists composed sentences of a language for reading, as readers meet them: `npm run languages -- de`. A message may be right, and the sentence
// that it makes with others, or with a name, wrong.
import { inHabits } from '../server/process/habits.ts';
import { habitsOf, likely } from '../server/vocabulary/habits/habits.ts';
import type { Language } from '../server/vocabulary/habits/languages.ts';
import { t } from '../server/vocabulary/habits/messages.ts';
import { DRIVERS } from '../server/vocabulary/numbers/drivers.ts';
import { METRICS, type Metric, metricRow } from '../server/vocabulary/numbers/metrics.ts';
import {
  alikeWords,
  causeWords,
  changeWords,
  comparisonOf,
  gapWords,
  otherVisitors,
  plainWords,
  whenName,
} from '../server/vocabulary/numbers/sentence.ts';
import type { Dimension } from '../server/vocabulary/questions/dimensions.ts';
import { OPERATOR_NAMES } from '../server/vocabulary/questions/operators.ts';
import { wordsOfFilter } from '../server/vocabulary/questions/filter-words.ts';
import { valueName } from '../server/vocabulary/questions/value-names.ts';
import { type Comparison, COMPARISONS, type Period, PERIODS } from '../server/vocabulary/time/periods.ts';

const DAYS = { date_from: '2026-10-01', date_to: '2026-10-30' };
const DAY = { date_from: '2026-10-01', date_to: '2026-10-01' };
const FIGURES = [
  [81, 80],
  [120, 80],
  [42, 80],
  [2400, 80],
  [5, 0],
  [80, 80],
] as const;
const CAUSES: [Dimension, string][] = [
  ['source', 'Product Hunt'],
  ['source', ''],
  ['country', 'US'],
  ['country', 'DE'],
  ['country', ''],
  ['device', 'mobile'],
  ['utm_campaign', 'spring'],
  ['page', '/pricing'],
  ['entry_page', '/blog/hello'],
  ['event', 'signup'],
];

function compose(): string[] {
  // One metric of each unit: the others say the same.
  const byUnit = new Map((Object.keys(METRICS) as Metric[]).map((metric) => [metricRow(metric).unit, metric]));
  const periods = (Object.keys(PERIODS) as Period[]).filter((period) => period !== 'all');
  const compared = periods.flatMap((period) =>
    (Object.keys(COMPARISONS) as Comparison[]).flatMap((compare) =>
      [DAYS, DAY].map((days) => comparisonOf({ period, compare }, days)),
    ),
  );
  const all = [...new Map(compared.map((one) => [one.than, one])).values(), otherVisitors('VIP')];
  const changes = [...byUnit.values()].flatMap((metric) =>
    FIGURES.flatMap(([value, previous]) =>
      all.flatMap((one) => plainWords(changeWords(metric, { value, previous }, one)?.text ?? '')),
    ),
  );
  const whens = periods.map((period, index) => whenName(period, index % 2 ? DAYS : DAY));
  const sentences = changes.map(
    (change, index) => t('{when},', { when: whens[index % whens.length] ?? '' }) + ` ${change}`,
  );
  const causes = (Object.keys(DRIVERS) as Metric[]).flatMap((metric) =>
    CAUSES.flatMap(([dimension, name]) =>
      [true, false].map((isRise) =>
        plainWords(causeWords({ metric, isRise, dimension, name, shown: valueName(dimension, name) })),
      ),
    ),
  );
  const others = (Object.keys(DRIVERS) as Metric[]).flatMap((metric) => [
    alikeWords(metric, { value: 2, previous: 1 }),
    alikeWords(metric, { value: 1, previous: 2 }),
    gapWords(metric, t('from {first} to {last}', { first: '10:00', last: '13:00' })),
  ]);
  const filters = CAUSES.filter(([, name]) => name !== '').flatMap(([dimension, name]) =>
    OPERATOR_NAMES.map((operator) =>
      wordsOfFilter({ dimension, operator, values: [name, name] }, { nameOf: () => undefined, show: (text) => text }),
    ),
  );
  return [...new Set([...sentences, ...causes, ...others, ...filters])];
}

export const sentencesIn = (language: Language): string[] =>
  inHabits(habitsOf(language === 'en' ? 'en-GB' : likely(language), { language }), compose);
