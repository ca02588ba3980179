// The answers of the API as schemas: examples.ts has an example of each. OpenAPI and the tests use them; answers are not checked at run time.
import { z } from 'zod';
import { REFUSALS } from '../../errors.ts';
import { arrangement } from '../../sites/arrangements.ts';
import { conditionsOf } from '../../sites/definitions/goals.ts';
import { mayBeUntold } from '../../stats/sql/metrics.ts';
import { PART_KINDS } from '../../vocabulary/asking/asking.ts';
import { DIMENSION_NAMES } from '../../vocabulary/questions/dimensions.ts';
import { GROUP_METRICS } from '../../vocabulary/settings/groups.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES, GOAL_FIELDS, type GoalField } from '../../vocabulary/questions/goals.ts';
import { JOURNEY_DIRECTIONS, JOURNEY_STARTS } from '../../vocabulary/questions/journeys.ts';
import { METRIC_NAMES, metricRow, type Unit } from '../../vocabulary/numbers/metrics.ts';
import { ERROR_KINDS } from '../../vocabulary/numbers/errors.ts';
import { VITAL_NAMES, VITALS, VITALS_SPLITS } from '../../vocabulary/numbers/vitals.ts';
import { INTERVALS } from '../../vocabulary/time/intervals.ts';
import { NOTE_KINDS } from '../../vocabulary/settings/notes.ts';
import { LINK_DAYS, MOST_FEWEST, PART_NAMES } from '../../vocabulary/settings/share-links.ts';
import { COMPARISON_NAMES, PERIOD_NAMES } from '../../vocabulary/time/periods.ts';
import { OPERATOR_NAMES } from '../../vocabulary/questions/operators.ts';

const count = z.int().min(0);
const day = z.iso.date();

export const site = z
  .strictObject({
    id: z
      .string()
      .regex(/^site_[0-9A-HJKMNP-TV-Z]{16}$/)
      .describe('Permanent: it stays the same when the domain is edited.'),
    domain: z.string().describe('Equals `data-site` of the tracking snippet.'),
    created_at: z.iso.datetime({ precision: 3 }).describe('When the site was added (UTC).'),
    tracking: z.boolean().describe('True if the site is not paused and an event was recorded in the last 24 hours.'),
  })
  .meta({ id: 'Site' });

export const stats = z
  .strictObject({
    pageviews: count.optional().describe('Left out with `metric=visitors`.'),
    unique_visitors: count.optional().describe('Left out with `metric=pageviews`.'),
    top_pages: z.array(z.strictObject({ path: z.string(), views: count })).describe('Most viewed first, ties by path.'),
    date_from: day.describe('First day of the period.'),
    date_to: day.describe('Last day of the period.'),
  })
  .meta({ id: 'Stats' });

/** Counts are whole numbers. Ratios, percentages, seconds and money can have fractions. */
const NUMBERS: Record<Unit, z.ZodType> = {
  count,
  ratio: z.number().min(0),
  per_cent: z.number().min(0).max(100),
  seconds: z.number().min(0),
  money: z.number().describe('Below 0 where refunds exceed payments.'),
};
const numbers = Object.fromEntries(METRIC_NAMES.map((name) => [name, NUMBERS[metricRow(name).unit].optional()]));
const metrics = z.object(numbers);
const UNTOLD = 'Null: the step has only imported days, which do not tell the number.';
const numbersOfSteps = Object.fromEntries(
  METRIC_NAMES.map((name) => [name, mayBeUntold(name) ? numbers[name]?.nullable().describe(UNTOLD) : numbers[name]]),
);

/** What a request with `compare` or `versus` is compared with. */
const COMPARED = 'Only with `compare` or `versus`; null without days to compare with.';

const stepsOfMetrics = z.array(z.strictObject({ ...numbersOfSteps, time: z.iso.datetime({ precision: 3 }) }));
export const timeseries = z
  .strictObject({
    data: stepsOfMetrics,
    previous: stepsOfMetrics.nullish().describe(COMPARED),
    meta: z.strictObject({ interval: z.enum(INTERVALS), date_from: day, date_to: day }),
  })
  .meta({ id: 'Timeseries' });

const filter = z.strictObject({ dimension: z.string(), operator: z.enum(OPERATOR_NAMES), values: z.array(z.string()) });

export const asked = z
  .strictObject({
    sentence: z.string().describe('The whole view in words.'),
    is_sure: z.boolean().describe('False if a word was not understood, was misspelt, or does not count.'),
    parts: z.array(
      z.strictObject({
        text: z.string().describe('As it stands in the question.'),
        from: count.describe('Its place in the question, in UTF-16 units.'),
        to: count,
        kind: z.enum(PART_KINDS),
        label: z.string().describe('How it was understood; empty for what was not.'),
        is_guess: z.boolean().describe('It was misspelt, or only something near exists.'),
        problem: z.string().nullable().describe('Why it does not count; null if it does.'),
        nearest: z
          .array(z.strictObject({ text: z.string(), label: z.string() }))
          .describe('What may have been meant: words to write instead, and their meaning.'),
      }),
    ),
    view: z
      .strictObject({
        period: z.enum(PERIOD_NAMES),
        date_from: day.optional(),
        date_to: day.optional(),
        compare: z.enum(COMPARISON_NAMES),
        compare_from: day.optional(),
        compare_to: day.optional(),
        versus: z.string().optional(),
        segment: z.string().optional(),
        filters: z.array(filter),
        metrics: z.array(z.enum(METRIC_NAMES)).describe('Empty if the question names none.'),
        dimension: z.string().nullable().describe('What is listed; null for the numbers over time.'),
        interval: z.enum(INTERVALS).optional(),
      })
      .describe('As in the parameters of requests.'),
    dashboard: z.string().describe('The address of the view in the dashboard.'),
    request: z.string().describe('Path and query of the request that answers the question.'),
    tool: z
      .strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })
      .describe('The same request as a tool of assistants.'),
  })
  .meta({ id: 'Asked' });

export const group = z
  .strictObject({
    id: z.string().regex(/^group_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: z.string(),
    created_at: z.iso.datetime({ precision: 3 }).describe('When the group was made (UTC).'),
    site_ids: z.array(z.string()).describe('Empty once its last site was deleted or has left the account.'),
  })
  .meta({ id: 'Group' });

const groupCounts = Object.fromEntries(GROUP_METRICS.map((name) => [name, count]));
const groupSteps = Object.fromEntries(
  GROUP_METRICS.map((name) => [name, mayBeUntold(name) ? count.nullable().describe(UNTOLD) : count]),
);

export const groupStats = z
  .strictObject({
    data: z.strictObject({
      ...groupCounts,
      sites: z
        .array(z.strictObject({ site_id: z.string(), domain: z.string(), ...groupCounts }))
        .describe('In the order of the group.'),
    }),
    meta: z.strictObject({ date_from: day, date_to: day }),
  })
  .meta({ id: 'GroupStats' });

export const groupTimeseries = z
  .strictObject({
    data: z.array(z.strictObject({ date: day.describe('The first day of the step.'), ...groupSteps })),
    meta: z.strictObject({ interval: z.enum(INTERVALS), date_from: day, date_to: day }),
  })
  .meta({ id: 'GroupTimeseries' });

export const breakdown = z
  .strictObject({
    data: z
      .array(
        z
          .looseObject({
            ...Object.fromEntries(DIMENSION_NAMES.map((name) => [name, z.string().optional()])),
            ...metrics.shape,
            previous: metrics.strict().nullish().describe(COMPARED),
          })
          .meta({ patternProperties: { '^prop:': { type: 'string' } } }),
      )
      .describe('Each row holds the value of the dimension, under its name, and the metrics.'),
    meta: z.strictObject({ page: count, per_page: count, total: count, date_from: day, date_to: day }),
  })
  .meta({ id: 'Breakdown' });

const searchFigures = {
  clicks: count,
  impressions: count,
  click_rate: z.number().min(0).describe('Clicks divided by impressions, in per cent.'),
  position: z
    .number()
    .min(0)
    .describe('Average position, weighted by impressions. 1 is the top; 0 without impressions.'),
};
const comparedFigures = { ...searchFigures, previous: z.strictObject(searchFigures).nullish().describe(COMPARED) };
export const searchTerms = z
  .strictObject({
    data: z.array(z.strictObject({ term: z.string(), ...comparedFigures })),
    meta: z.strictObject({
      page: count,
      per_page: count,
      total: count,
      date_from: day,
      date_to: day,
      latest_day: day.nullable().describe('The newest day that Google has reported.'),
      totals: z.strictObject(comparedFigures),
      withheld: z.strictObject(comparedFigures).describe('What Google counts without telling the term.'),
    }),
  })
  .meta({ id: 'SearchTerms' });

const named = (prefix: 'goal' | 'funnel' | 'segment') => ({
  id: z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`))
    .describe('Permanent: it stays the same when the name changes.'),
  name: z.string(),
  created_at: z.iso.datetime({ precision: 3 }),
});
function fieldOf(name: GoalField): z.ZodType {
  const { about, ...row } = GOAL_FIELDS[name];
  const number = row.type === 'number' ? z.int().min(1).max(row.most) : undefined;
  const plain = number ?? (row.type === 'pairs' ? z.record(z.string(), z.string()) : z.string());
  return about === undefined ? plain : plain.describe(about);
}
const conditionsWith = (more: z.ZodRawShape) => conditionsOf(fieldOf, more);

export const goal = z.discriminatedUnion('kind', conditionsWith(named('goal'))).meta({ id: 'Goal' });

const filterShown = z.strictObject({
  dimension: z.string().describe('The dimension, or `prop:KEY` for a property of events.'),
  operator: z.enum(OPERATOR_NAMES),
  values: z.array(z.string()).describe('Any of these values.'),
});
const instant = z.iso.datetime({ precision: 3 });
const linkFields = {
  id: z.string().regex(/^share_[0-9A-HJKMNP-TV-Z]{26}$/),
  name: z.string().describe('Only members see it, and the note.'),
  note: z.string(),
  created_at: instant,
  expires_at: instant.nullable().describe('When the link ends; null for never.'),
  paused: z.boolean(),
  public: z.boolean().describe('The site’s domain opens the link, too: `/share/DOMAIN`.'),
  indexed: z.boolean().describe('Search engines may list the page of a public link.'),
  has_password: z.boolean().describe('True if viewers must enter a password.'),
  shows: z.strictObject({
    properties: z.boolean().describe('Properties of events.'),
    fewest: z.int().min(1).max(MOST_FEWEST).describe('Narrowed numbers of fewer visitors are withheld. 1: none are.'),
    credit: z.boolean().describe('The page says “Counted by Footfall”.'),
    embedded_on: z
      .array(z.string())
      .describe('Hosts of the websites that may show the page in a frame, as `blog.example` or `*.blog.example`.'),
  }),
  rules: z.strictObject({
    filters: z.array(filterShown).describe('Only visits that match all of them are shown.'),
    period: z
      .union([z.strictObject({ days: z.int().min(1) }), z.strictObject({ date_from: day, date_to: day })])
      .nullable()
      .describe('The last so many days and today, or fixed days; null for any time.'),
    parts: z.array(z.enum(PART_NAMES)).nullable().describe('The parts of the dashboard; null for all.'),
    timezone: z.enum(LINK_DAYS).describe('Whose days are shown: those of the site’s time zone, or of UTC.'),
  }),
  looks: z.strictObject({
    theme: z.enum(['light', 'dark']).nullable().describe('Null for the reader’s own.'),
    arrangement: arrangement
      .optional()
      .describe(
        'The order of the chapters, those that are folded or hidden, and the figures that come first. Left out for that of the site.',
      ),
  }),
  last_used_at: instant.nullable().describe('When the link was opened last.'),
  views: z
    .array(z.strictObject({ day, views: count }))
    .describe('How often it was opened on each UTC day, oldest first.'),
};
export const shareLink = z.strictObject(linkFields).meta({ id: 'ShareLink' });
export const newShareLink = z
  .strictObject({ ...linkFields, url: z.string().describe('The address for viewers. It is not shown again.') })
  .meta({ id: 'NewShareLink' });
export const note = z
  .strictObject({
    id: z.string(),
    day: z.iso.date().describe('A date of the site’s own time zone.'),
    text: z.string(),
    is_private: z.boolean().describe('True if the viewers of share links do not see it.'),
    kind: z.enum(NOTE_KINDS),
  })
  .meta({ id: 'Note' });
export const revokedLink = z.strictObject({ revoked: z.string().describe('The id of the link.') });

export const segment = z
  .strictObject({
    ...named('segment'),
    filters: z
      .array(
        z.strictObject({
          dimension: z.string().describe('The dimension, or `prop:KEY` for a property of events.'),
          operator: z.enum(OPERATOR_NAMES),
          values: z.array(z.string()).describe('Any of these values.'),
          deleted_goals: z
            .array(z.discriminatedUnion('kind', conditionsWith({ id: z.string(), name: z.string() })))
            .optional()
            .describe('Goals that the filter names and that were deleted. It goes on counting with their conditions.'),
        }),
      )
      .describe('All filters must match.'),
  })
  .meta({ id: 'Segment' });

const stepsWith = (more: z.ZodRawShape) =>
  [
    z.strictObject({ ...more, goal: z.string().describe('Id of a goal of the site.') }),
    ...conditionsWith({
      ...more,
      deleted_goal: z.string().optional().describe('Name of the deleted goal whose condition this step has.'),
    }),
  ] as const;
const funnelDefinition = {
  ...named('funnel'),
  within: z.enum(FUNNEL_SCOPES).describe('`visit`: one visit. `day`: all visits of a visitor on one day.'),
  order: z
    .enum(FUNNEL_ORDERS)
    .describe(
      '`any_between`: in this order, with anything in between. `strict`: right after one another; another page view or event in between ends the run. `any`: in any order.',
    ),
};
export const funnel = z
  .strictObject({ ...funnelDefinition, steps: z.array(z.union(stepsWith({}))) })
  .meta({ id: 'Funnel' });

const stepFigures = {
  visitors: count,
  visits: count,
  drop_off: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Percentage of the previous step’s visitors who did not take this one; null for the first step.'),
  rate: z.number().min(0).max(100).describe('Percentage of the first step’s visitors.'),
  median_time: z
    .number()
    .min(0)
    .nullable()
    .describe('Median seconds since the previous step; null for the first step, and for a step that nobody took.'),
};
const step = { ...stepFigures, previous: z.strictObject(stepFigures).nullish().describe(COMPARED) };
const left = z
  .strictObject({
    visitors: count,
    pages: z.array(z.strictObject({ page: z.string(), visitors: count })).describe('The next page that they viewed.'),
    ended: count.describe('Visitors who viewed no further page.'),
  })
  .nullable()
  .describe('Visitors whose last step this was; null for the last step of the funnel.');

export const funnelFigures = z
  .strictObject({
    data: z.strictObject({
      ...funnelDefinition,
      steps: z.array(
        z.union(
          stepsWith({ name: z.string().describe('Name of the goal, or the condition in words.'), ...step, left }),
        ),
      ),
      breakdown: z
        .array(
          z
            .looseObject({
              ...Object.fromEntries(DIMENSION_NAMES.map((name) => [name, z.string().optional()])),
              steps: z.array(z.strictObject(step)),
            })
            .describe('The value of the dimension, under its name, and its steps.'),
        )
        .optional()
        .describe('With `by`: up to ten values, sorted by visitors of the first step, highest first.'),
    }),
    meta: z.strictObject({ date_from: day, date_to: day }),
  })
  .meta({ id: 'FunnelFigures' });

const median = z.number().min(0);
export const reading = z
  .strictObject({
    data: z.strictObject({
      views: count.describe('Measured page views: those whose script reported how they were read.'),
      time_on_page: median.describe('Median seconds for which these views were visible; 0 without any.'),
      scroll_depth: median.max(100).describe('Median depth of these views, in per cent of the page; 0 without any.'),
      reached: z
        .array(
          z.strictObject({
            scroll: z.int().min(10).max(100).describe('Per cent of the page: 10, 20, and so on to 100.'),
            views: count.describe('Measured page views that were scrolled this far.'),
            share: z.number().min(0).max(100).describe('Per cent of the measured page views; 0 without any.'),
          }),
        )
        .length(10),
    }),
    meta: z.strictObject({ date_from: day, date_to: day }),
  })
  .meta({ id: 'Reading' });

const rating = z.strictObject({
  good: z.number().min(0).max(100),
  needs_improvement: z.number().min(0).max(100),
  poor: z.number().min(0).max(100),
});
const vitalFigures = z.looseObject({
  views: count.describe('Measured page views.'),
  ...Object.fromEntries(
    VITAL_NAMES.map((vital) => [vital, z.number().min(0).nullable().describe(VITALS[vital].about)]),
  ),
  shares: z
    .strictObject(Object.fromEntries(VITAL_NAMES.map((vital) => [vital, rating])))
    .describe('Per cent of the page views that have the vital; all 0 without any.'),
});
export const vitals = z
  .strictObject({
    data: z
      .array(
        vitalFigures.extend({
          ...Object.fromEntries(VITALS_SPLITS.map((name) => [name, z.string().optional()])),
          previous: vitalFigures.nullish().describe(COMPARED),
        }),
      )
      .describe('Each row holds the value of the dimension, under its name, and the 75th percentiles.'),
    meta: z.strictObject({
      page: count,
      per_page: count,
      total: count,
      date_from: day,
      date_to: day,
      totals: vitalFigures.extend({ previous: vitalFigures.nullish().describe(COMPARED) }),
      interval: z.enum(INTERVALS).optional().describe('With `interval`.'),
      series: z
        .array(vitalFigures.omit({ shares: true }).extend({ time: z.iso.datetime({ precision: 3 }) }))
        .optional()
        .describe('With `interval`: the 75th percentiles of each step.'),
      histogram: z
        .strictObject({
          vital: z.enum(VITAL_NAMES),
          steps: z.array(z.strictObject({ from: z.number().min(0), views: count })),
        })
        .optional()
        .describe(
          'With `histogram`: the page views with a value from `from` up to the next step; the last has all beyond.',
        ),
    }),
  })
  .meta({ id: 'Vitals' });

const errorFigures = z.looseObject({
  count: count.describe('Errors.'),
  visits: count.describe('Visits with such an error.'),
  share: z.number().min(0).max(100).describe('Per cent of all visits in the period.'),
});
export const errors = z
  .strictObject({
    data: z.array(
      errorFigures.extend({
        shape: z.string().describe('The id of the kind, message and file together.'),
        message: z.string().describe('With placeholders; for `load`, the element that could not be loaded.'),
        kind: z.enum(ERROR_KINDS),
        file: z.string().describe('Path, with its host if that is not the page’s; empty for a script within the page.'),
        line: count.describe('That of the latest error; 0 when unknown.'),
        first_seen: instant.describe('Of all such errors that are kept.'),
        last_seen: instant.describe('In the period.'),
        since: z
          .string()
          .nullable()
          .describe('The latest release, as a note, on the day of `first_seen` or the day before.'),
        trend: z.array(count).describe('Errors at the `times` of `meta`.'),
      }),
    ),
    meta: z.strictObject({
      page: count,
      per_page: count,
      total: count,
      interval: z.enum(INTERVALS),
      times: z.array(instant),
      date_from: day,
      date_to: day,
      totals: errorFigures.extend({ previous: errorFigures.nullish().describe(COMPARED) }),
    }),
  })
  .meta({ id: 'Errors' });

export const week = z
  .strictObject({
    data: z
      .array(
        metrics
          .extend({
            weekday: z.int().min(1).max(7).describe('1 is Monday.'),
            hour: z.int().min(0).max(23),
          })
          .strict(),
      )
      .length(7 * 24),
    meta: z.strictObject({ date_from: day, date_to: day }),
  })
  .meta({ id: 'Week' });

export const journey = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          step: z.int().min(1).describe('1 is the start.'),
          parent: count.nullable().describe('Position in this list of the branch that it continues, from 0.'),
          kind: z.enum(JOURNEY_STARTS),
          name: z.string().describe('The page, the event, or the name of the goal.'),
          visits: count,
          ended: count.describe('Visits that ended here; backwards, those that began here.'),
          other: count.describe(
            'Visits that went on to something without a branch of its own; backwards, that came from it.',
          ),
        }),
      )
      .describe('Empty if no visit has the start.'),
    meta: z.strictObject({ start: z.string(), direction: z.enum(JOURNEY_DIRECTIONS), date_from: day, date_to: day }),
  })
  .meta({ id: 'Journey' });

const exchange = {
  ai_visits: count.describe('Pages that its agents read.'),
  visits: count.describe('Visits of people that its assistants sent.'),
};
export const aiVisits = z
  .strictObject({
    data: z.strictObject({
      providers: z
        .array(
          z.strictObject({
            ai_provider: z.string(),
            ...exchange,
            previous: z.strictObject(exchange).nullish().describe(COMPARED),
          }),
        )
        .describe('Most pages read first.'),
      series: z.array(
        z.strictObject({
          time: z.iso.datetime({ precision: 3 }),
          ai_visits: count.describe('Of all providers.'),
          by: z.array(z.strictObject({ ai_provider: z.string(), ai_visits: count })),
        }),
      ),
      new_agents: z
        .array(z.strictObject({ ai_agent: z.string(), first_seen: z.iso.datetime({ precision: 3 }) }))
        .describe('Agents whose first visit ever was in the last 30 days of the period, newest first.'),
    }),
    meta: z.strictObject({ interval: z.enum(INTERVALS), date_from: day, date_to: day }),
  })
  .meta({ id: 'AiVisits' });

export const live = z
  .strictObject({
    current_visitors: count,
    pages: z.array(z.strictObject({ page: z.string(), visitors: count })),
  })
  .meta({ id: 'Live' });

export const acceptance = z
  .strictObject({ accepted: z.boolean().describe('True if the event was received and queued.') })
  .meta({ id: 'Acceptance' });

export const error = z
  .strictObject({
    error: z.enum(Object.keys(REFUSALS) as [keyof typeof REFUSALS]).describe('An error code, for programs.'),
    message: z.string().describe('A message, for people.'),
    status: z.int().describe('The HTTP status.'),
  })
  .meta({ id: 'Error' });

export function envelope(data: z.ZodType) {
  return z.strictObject({ data });
}

export function listOf(entry: z.ZodType) {
  return z.strictObject({
    data: z.array(entry),
    meta: z.strictObject({ page: count, per_page: count, total: count }),
  });
}
