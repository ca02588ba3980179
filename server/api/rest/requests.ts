// The fields of requests. Each schema checks its field, names the allowed values in its error, and describes itself for OpenAPI.
import { z } from 'zod';
import { parsePage } from '../../vocabulary/texts/url.ts';
import { cleanText } from '../../vocabulary/texts/spelling.ts';
import { Refusal } from '../../errors.ts';
import { ENGAGEMENT, PAGEVIEW } from '../../vocabulary/event.ts';
import { filterList } from '../../stats/query.ts';
import { linkContent, linkName } from '../sharing/content.ts';
import { noteContent } from '../../sites/definitions/notes.ts';
import { DIMENSION_NAMES, DIMENSIONS, isDimension } from '../../vocabulary/questions/dimensions.ts';
import { GROUP_PERIODS } from '../../vocabulary/settings/groups.ts';
import { FURTHEST_STEP, FURTHEST_STEP_PATTERN } from '../../vocabulary/questions/furthest-step.ts';
import {
  ADDRESS_RULE,
  CURRENCY,
  CURRENCY_RULE,
  MAX_ADDRESS,
  MAX_BATCH,
  MAX_FILTER_VALUE,
  MAX_FILTERS,
  MAX_KEY,
  MAX_AMOUNT,
  MAX_NAME,
  MAX_ORDER,
  MAX_PROPS,
  MAX_RECORD_ID,
  MAX_SEARCH,
  MAX_VALUE,
  ORDER_RULE,
  propsRule,
  SENDER_ID,
  SENDER_ID_RULE,
  VALUE_RULE,
} from '../../vocabulary/limits.ts';
import { ERROR_KINDS, ERRORS } from '../../vocabulary/numbers/errors.ts';
import { VITAL_NAMES, VITALS_SPLITS } from '../../vocabulary/numbers/vitals.ts';
import { listNames, patternsOf } from '../../vocabulary/questions/names.ts';
import {
  JOURNEY_DIRECTIONS,
  JOURNEY_STARTS,
  MAX_JOURNEY_STEPS,
  MIN_JOURNEY_STEPS,
  USUAL_JOURNEY_STEPS,
} from '../../vocabulary/questions/journeys.ts';
import { MAX_QUESTION } from '../../vocabulary/asking/words.ts';
import { METRIC_NAMES } from '../../vocabulary/numbers/metrics.ts';
import { INTERVALS } from '../../vocabulary/time/intervals.ts';
import { COMPARISON_NAMES, DAY_RULE, PERIOD_NAMES } from '../../vocabulary/time/periods.ts';
import { readDay } from '../../vocabulary/time/time.ts';

/** The periods of `/v1/stats`. The other operations accept every period of the dashboard. */
const STATS_PERIODS = ['today', '7d', '30d', 'custom'] as const;
/** Longer names are cut in error messages. No sensible name is this long. */
const MAX_SHOWN = 80;

const lines = (values: readonly string[]) => values.join(', ');

/** `error` says what the text must be, and is also said if it is empty or too long. */
const boundedText = (max: number, error: string) => z.string({ error }).min(1, { error }).max(max, { error });

/** Digits only: no sign, point, exponent or space. */
function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z.int({ error }).min(min, { error }).max(max, { error }),
  );
}

const numberOr = (fallback: number, max: number, description: string) =>
  wholeNumber(1, max).default(fallback).meta({ description });

export const page = (max: number) => numberOr(1, max, 'Page of the list.');
export const perPage = (max: number, fallback: number) => numberOr(fallback, max, 'Entries per page.');
export const listPage = { page: page(1_000_000), per_page: perPage(100, 50) };
export const limit = numberOr(100, 1000, 'Maximum number of entries in `top_pages`.');

/** `record` says whose id it is, and where callers find it. */
const idOf = (record: string, example: string) =>
  boundedText(MAX_RECORD_ID, `must be the id of ${record}`).meta({
    description: `Id of ${record}.`,
    examples: [example],
  });
export const siteId = idOf('a site, as `GET /v1/sites` lists it', 'site_0123456789ABCDEF');
export const groupId = idOf('a group of sites, as `GET /v1/groups` lists it', 'group_0123456789ABCDEFGHJKMNPQRS');

const day = z
  .string({ error: DAY_RULE })
  .refine((text) => readDay(text) !== undefined, { error: DAY_RULE })
  .meta({ format: 'date', examples: ['2026-11-01'] });

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: `must be one of ${lines(names)}` });

const dates = {
  date_from: day.optional().meta({ description: 'First day, with `period=custom`: 2000-01-01 or later.' }),
  date_to: day.optional().meta({ description: 'Last day, with `period=custom`: from `date_from` to today.' }),
};
export const statsPeriod = {
  period: oneOf(STATS_PERIODS).default('30d').meta({
    description:
      '`today`: from midnight UTC to now. `7d`, `30d`: the 7 or 30 full days before today. `custom`: from `date_from` to `date_to`.',
  }),
  ...dates,
};
export const anyPeriod = {
  period: oneOf(PERIOD_NAMES).default('30d').meta({
    description:
      '`60m`, `24h`: the last minutes and hours up to now. `7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`.',
  }),
  ...dates,
};
export const groupPeriod = {
  period: oneOf(GROUP_PERIODS as [string, ...string[]])
    .default('30d')
    .meta({
      description:
        '`7d`, `30d`, `91d`: full days before today. `month`, `year`: to date. `12mo`: full months. `custom`: from `date_from` to `date_to`.',
    }),
  ...dates,
};
/** The days of the answer: UTC days unless the caller asks for the site's. */
export const timezone = oneOf(['UTC', 'site']).default('UTC').meta({
  description: 'With `site`, days, `today` and dates are in the time zone of the site’s settings. Default: UTC days.',
});
export const includeImported = oneOf(['true', 'false']).default('true').meta({
  description:
    'With `false`, without the days that were imported from another product as daily sums. Filters, goals and hours never count these days. Imported hits count like all others.',
});
export const exportedDay = day.meta({ description: 'A day of the site that is over: 2000-01-01 or later.' });
export const exportedTable = oneOf(['events', 'ai_visits']).default('events').meta({
  description: '`events`: page views, events and the ends of page views. `ai_visits`: visits by AI agents.',
});
export const exportedFormat = oneOf(['ndjson', 'parquet']).default('ndjson').meta({
  description: '`ndjson`: a line of JSON for each row. `parquet`: Apache Parquet, compressed with zstd.',
});
/** Two required dates, for the CSV export. */
export const range = {
  date_from: day.meta({ description: 'First day: 2000-01-01 or later.' }),
  date_to: day.meta({ description: 'Last day: from `date_from` to today.' }),
};

const FILTER_VALUE = { type: 'string', minLength: 1, maxLength: MAX_FILTER_VALUE } as const;
const FILTER = `must be text of 1 to ${MAX_FILTER_VALUE} characters`;
export const filter = z
  .record(z.string(), boundedText(MAX_FILTER_VALUE, FILTER))
  .refine((filters) => Object.keys(filters).length <= MAX_FILTERS, {
    error: `at most ${MAX_FILTERS} filters are allowed`,
  })
  .default({})
  .meta({
    maxProperties: MAX_FILTERS,
    // `readParams` refuses all other names. Generators ignore the pattern, and an index of text beside optional texts compiles nowhere:
    // `Property 'page' of type 'string | undefined' is not assignable to 'string' index type` (orval 7).
    additionalProperties: true,
    properties: {
      ...Object.fromEntries(DIMENSION_NAMES.map((name) => [name, FILTER_VALUE])),
      [FURTHEST_STEP]: {
        type: 'string',
        pattern: FURTHEST_STEP_PATTERN,
        description:
          'Id of a funnel and one of its steps, such as `FUNNEL_ID:2`: the visitors who got no further and left, or who took the last step. Nobody matches a funnel that was deleted.',
      },
    },
    patternProperties: Object.fromEntries(patternsOf(DIMENSIONS).map((pattern) => [`^${pattern}$`, FILTER_VALUE])),
    description:
      'Counts only data with this value of a dimension, for example `filter[page]=/pricing`. All filters must match.',
    examples: [{ page: '/pricing' }],
  });

/** The dashboard's filters: with any operator and several values, which `filter[…]` does not take. */
export const filters = z
  .preprocess((sent) => (typeof sent === 'string' ? fromJson(sent) : sent), filterList)
  .default([])
  .meta({
    description:
      'Further filters, as JSON. Each has a dimension (or `segment`), an operator and values, any of which may match. All filters must match.',
    examples: [[{ dimension: 'country', operator: 'is_not', values: ['DE', 'AT'] }]],
  });

/** Text that is no JSON stays as it is, and is no list. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const SEGMENT_ID = 'must be the id of a segment of the site, as `GET /v1/segments` lists it';
export const segment = boundedText(MAX_RECORD_ID, SEGMENT_ID)
  .optional()
  .meta({
    description: 'Id of a segment of the site. Its filters are added to those of the request.',
    examples: ['segment_0123456789ABCDEFGHJKMNPQRS'],
  });

/** Which data counts. */
export const filtering = { filter, filters, segment };

const VERSUS = 'must be `all`, or the id of a segment of the site';
export const comparedPeriod = {
  compare: oneOf(COMPARISON_NAMES).default('none').meta({
    description:
      'Also returns the numbers of another period as `previous`. `previous`: the period before. `weekdays`: the same, moved to the same weekdays. `year`: a year before. `custom`: from `compare_from` to `compare_to`.',
  }),
  compare_from: day.optional().meta({ description: 'First day of the comparison, with `compare=custom`.' }),
  compare_to: day.optional().meta({ description: 'Last day of the comparison, with `compare=custom`.' }),
};
/** What the numbers are compared with: another period, or other visitors in the same period. */
export const comparison = {
  ...comparedPeriod,
  versus: boundedText(MAX_RECORD_ID, VERSUS)
    .optional()
    .meta({
      description:
        'Compares with other visitors instead: the id of a segment, or `all`. The other filters of the request apply to both.',
      examples: ['all'],
    }),
};

/** A site in a period, and what its numbers are compared with. */
export const comparedSite = {
  site_id: siteId,
  ...anyPeriod,
  ...comparison,
  timezone,
  include_imported: includeImported,
};

const SEARCH = `must be text of 1 to ${MAX_SEARCH} characters`;
export const search = boundedText(MAX_SEARCH, SEARCH)
  .optional()
  .meta({ description: 'Only rows whose name contains this text.' });

const QUESTION = `must be text of 1 to ${MAX_QUESTION} characters`;
export const question = boundedText(MAX_QUESTION, QUESTION).meta({
  description: 'The question, in English.',
  examples: ['visitors from germany on phones last week'],
});

/** `NAME:asc` or `NAME:desc`. */
export function order(names: readonly string[]) {
  const error = `must be name or one of the metrics, with a direction, such as ${names[0]}:desc or name:asc`;
  return z
    .string({ error })
    .regex(new RegExp(`^(?:${['name', ...names].join('|')}):(?:asc|desc)$`), { error })
    .optional()
    .meta({
      description: 'Sorts the rows by name or by one of the metrics, for example `name:asc`.',
      examples: ['name:asc'],
    });
}

const START = `must be a page, an event or the id of a goal, such as ${JOURNEY_STARTS[0]}:/pricing`;
export const start = z
  .string({ error: START })
  .regex(new RegExp(`^(?:${JOURNEY_STARTS.join('|')}):[\\s\\S]{1,${MAX_FILTER_VALUE}}$`), { error: START })
  .meta({
    description: 'Where the journey starts: `page:/pricing`, `event:signup` or `goal:GOAL_ID`.',
    examples: ['page:/pricing'],
  });
export const direction = oneOf(JOURNEY_DIRECTIONS)
  .default('forwards')
  .meta({ description: '`forwards`: what comes after the start. `backwards`: what comes before it.' });
export const steps = wholeNumber(MIN_JOURNEY_STEPS, MAX_JOURNEY_STEPS)
  .default(USUAL_JOURNEY_STEPS)
  .meta({ description: 'Steps of the journey, with its start.' });

export const vitalsDimension = oneOf(VITALS_SPLITS)
  .default('page')
  .meta({ description: 'What the page views are listed by. Default: `page`.' });
export const vitalsInterval = oneOf(INTERVALS).optional().meta({
  description: 'Adds `meta.series`: the same figures over time, in steps that the period allows.',
});
export const histogramOf = oneOf(VITAL_NAMES).optional().meta({
  description: 'Adds `meta.histogram`: how the values of this vital are spread.',
});

export const errorKind = oneOf(ERROR_KINDS)
  .optional()
  .meta({
    description: `Only errors of one kind. ${ERROR_KINDS.map((kind) => `\`${kind}\`: ${ERRORS[kind].about}`).join(' ')}`,
  });

const DIMENSION = `must be one of ${listNames(DIMENSIONS)}`;
export const dimension = z
  .string({ error: DIMENSION })
  .regex(new RegExp(`^(?:${[...DIMENSION_NAMES, ...patternsOf(DIMENSIONS)].join('|')})$`, 'su'), { error: DIMENSION })
  .refine((name) => isDimension(name), { error: DIMENSION })
  .meta({ description: 'The dimension to list, or `prop:KEY` for a property of custom events.' });

export const splitBy = dimension.optional().meta({
  description: 'Also splits the steps by a dimension of whole visits, such as `device`, `source` or `country`.',
});
export const linkId = idOf('a share link, as `GET /v1/share-links` lists it', 'share_0123456789ABCDEFGHJKMNPQRS');
/** The rules of a link are those of the dashboard. */
export const shareLink = z.strictObject({
  site_id: siteId,
  name: linkName.min(1).meta({ description: 'Only members see it, and the note.' }),
  ...linkContent,
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-03-31T12:00:00Z' })
    .nullable()
    .optional()
    .meta({ description: 'When the link ends; never by default.' }),
  public: linkContent.public.meta({
    description:
      'Also opens the link to everybody at `/share/DOMAIN`. One link of a site can be public, without a password.',
  }),
  indexed: linkContent.indexed.meta({ description: 'Search engines may list the page of a public link.' }),
  password: linkContent.password.meta({ description: 'What viewers must enter; at least 8 characters.' }),
});
export const note = z.strictObject({
  site_id: siteId,
  text: noteContent.shape.text.meta({ description: 'What happened, such as the name of a release.' }),
  day: noteContent.shape.day.optional().meta({
    description: 'A date of the site’s own time zone; today by default.',
    format: 'date',
  }),
  is_private: noteContent.shape.is_private.meta({ description: 'Hides it from the viewers of share links.' }),
  kind: noteContent.shape.kind.default('release').meta({
    description:
      'Speed and errors are compared with what was there before a `release`, and alerts tell of errors that it brought. The default, as most programs that write notes deploy something.',
  }),
});
export const funnelId = idOf('a funnel, as `GET /v1/funnels` lists it', 'funnel_0123456789ABCDEFGHJKMNPQRS');

const METRICS = `must be a comma-separated list of ${lines(METRIC_NAMES)}, each at most once`;
export const metrics = z
  .preprocess(
    (text) => (typeof text === 'string' ? text.split(',') : text),
    z
      .array(z.enum(METRIC_NAMES, { error: METRICS }), { error: METRICS })
      .min(1, { error: METRICS })
      .refine((names) => new Set(names).size === names.length, { error: METRICS })
      .meta({ uniqueItems: true }),
  )
  .meta({ description: 'Comma-separated metrics, such as `unique_visitors,pageviews`.' });

export const interval = oneOf(INTERVALS).optional().meta({
  description:
    'Length of a step. The default depends on the period. Weeks start on Monday. At most 12,000 steps: minutes for up to a week, hours for up to a year.',
});

export const statsMetric = oneOf(['pageviews', 'visitors', 'both'])
  .default('both')
  .meta({ description: 'Which counts to return.' });

export const groupInterval = oneOf(['day', 'week', 'month'])
  .optional()
  .meta({ description: 'Length of a step. The default depends on the period. Weeks start on Monday.' });

const NAME = `must be 1 to ${MAX_NAME} lower-case letters and digits in words joined by single underscores, such as plan_upgraded`;
const eventName = z
  .string({ error: NAME })
  .max(MAX_NAME, { error: NAME })
  .regex(/^[a-z0-9]+(_[a-z0-9]+)*$/, { error: NAME })
  .refine((name) => name !== PAGEVIEW && name !== ENGAGEMENT, {
    error: `must not be ${PAGEVIEW} or ${ENGAGEMENT}, which browsers send`,
  })
  .meta({
    not: { enum: [PAGEVIEW, ENGAGEMENT] },
    description: 'Name of the event, as the dashboard shows it.',
    examples: ['plan_upgraded'],
  });

const eventUrl = z
  .string({ error: ADDRESS_RULE })
  .max(MAX_ADDRESS, { error: ADDRESS_RULE })
  .refine((text) => /^https?:\/\/[^/\\]/i.test(text) && parsePage(text) !== undefined, { error: ADDRESS_RULE })
  .meta({
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\]',
    description:
      'The page of the event, counted by its path. Only `utm_*`, `ref` and `source` of the query are read; the rest is not stored.',
    examples: ['https://example.com/account/plan'],
  });

const hasDistinctKeys = (value: Record<string, unknown>): boolean => {
  const keys = Object.keys(value);
  return new Set(keys.map((key) => cleanText(key, MAX_KEY))).size === keys.length;
};

const props = z
  .preprocess(
    // zod silently drops this key from records, but everything that is sent must be either accepted or refused.
    (value, context) => {
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
        context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must have another name' });
      return value;
    },
    z
      .record(
        z
          .string()
          .min(1)
          .max(MAX_KEY)
          .refine((key) => cleanText(key, MAX_KEY) !== ''),
        z.union([z.string().max(MAX_VALUE, { error: VALUE_RULE }), z.number({ error: VALUE_RULE })], {
          error: VALUE_RULE,
        }),
        {
          error: propsRule,
        },
      )
      .refine((value) => Object.keys(value).length <= MAX_PROPS, { error: `must have at most ${MAX_PROPS} keys` })
      .refine(hasDistinctKeys, { error: 'must not have two keys that differ in spaces alone' })
      .meta({
        maxProperties: MAX_PROPS,
        propertyNames: { minLength: 1, maxLength: MAX_KEY, pattern: '[^\\s\\p{C}]' },
        examples: [{ plan: 'pro', seats: 3 }],
      }),
  )
  .meta({
    description: 'Properties of the event. Never include names, e-mail addresses or IP addresses.',
  });

const currencyCode = z.string({ error: CURRENCY_RULE }).regex(CURRENCY, { error: CURRENCY_RULE });
export const currency = currencyCode.optional().meta({
  description:
    'The currency of `revenue`, `revenue_confirmed`, `average_order` and `refunds`. If it is given, `orders` counts those in it, too, else those in all currencies. Default: the currency of the site. Nothing is converted.',
  examples: ['EUR'],
});

const AMOUNT = `must be a number from -${MAX_AMOUNT} to ${MAX_AMOUNT}, negative for a refund`;
/** Amounts are stored with four decimals: a smaller refund would be a payment of nothing. */
const LEAST_REFUND = 0.0001;
const MONEY = { amount: 0, currency: '' };
const FILTER_FIELDS = { dimension: '', operator: '', values: [] };
const REVENUE = 'must be an object with amount and currency';
const revenue = z
  .strictObject(
    {
      amount: z
        .number({ error: AMOUNT })
        .min(-MAX_AMOUNT, { error: AMOUNT })
        .max(MAX_AMOUNT, { error: AMOUNT })
        .refine((amount) => amount >= 0 || amount <= -LEAST_REFUND, {
          error: `must be at least ${LEAST_REFUND} for a refund`,
        })
        .meta({ description: 'In units of the currency: 12.5 is twelve and a half. Negative for a refund.' }),
      currency: currencyCode,
    },
    { error: REVENUE },
  )
  .meta({
    description: 'The amount that was paid or refunded. It counts as confirmed revenue.',
    examples: [{ amount: 29, currency: 'EUR' }],
  });

const orderId = z
  .string({ error: ORDER_RULE })
  .max(MAX_ORDER, { error: ORDER_RULE })
  .refine((text) => cleanText(text, MAX_ORDER) !== '', { error: ORDER_RULE })
  .meta({
    pattern: '[^\\s\\p{C}]',
    minLength: 1,
    description:
      'Your own order number. An order counts once, and your report of it replaces a browser’s. If a browser sent the same number on the same day, the event belongs to that visit, and so has its source. With an order number, an `Idempotency-Key` never expires. Only a keyed hash of the number is stored.',
    examples: ['1001'],
  });

export const event = z.strictObject({
  site_id: siteId,
  name: eventName,
  url: eventUrl,
  props: props.optional(),
  revenue: revenue.optional(),
  order_id: orderId.optional(),
});
export type SentEvent = z.output<typeof event>;

const BATCH = `must be a list of 1 to ${MAX_BATCH} events`;
export const batch = z.strictObject({
  events: z.array(event, { error: BATCH }).min(1, { error: BATCH }).max(MAX_BATCH, { error: BATCH }),
});

export const idempotencyKey = z.string().regex(SENDER_ID, { error: SENDER_ID_RULE }).optional().meta({
  description:
    'Makes retries safe: an event with the same key on the same site is counted once within 24 hours, and a note is made once as long as it is there.',
});

/** Parses with the schema. Throws bad_request with one sentence about the first problem, which names its field. */
export function check<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  sent: unknown,
  nameOf: (path: string[]) => string = (path) => path.join('.'),
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal('bad_request', issue ? sentenceOf(issue, { sent, schema, nameOf }) : 'The request is malformed.');
}

type Checked = { sent: unknown; schema: z.ZodObject; nameOf: (path: string[]) => string };

function sentenceOf(issue: z.core.$ZodIssue, { sent, schema, nameOf }: Checked): string {
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(issue.path, schema);
    const name = nameOf([...issue.path, issue.keys[0] ?? ''].map(String));
    return `${shown(name)}: is not known here, only ${lines(Object.keys(known))}.`;
  }
  if (issue.path.length === 0) return 'The body must be a JSON object.';
  const name = shown(nameOf(issue.path.map(String)));
  const isMissing = valueAt(sent, issue.path) === undefined;
  return `${name}: ${isMissing ? 'is required and ' : ''}${issue.message}.`;
}

/** The fields that an object at this place of the request may have. */
function fieldsAt(path: PropertyKey[], schema: z.ZodObject): object {
  if (path.length === 0) return schema.shape;
  if (path[0] === 'filters') return FILTER_FIELDS;
  return path.at(-1) === 'revenue' ? MONEY : event.shape;
}

function valueAt(sent: unknown, path: PropertyKey[]): unknown {
  // Text that stands for JSON is there, whatever is missing in it.
  const within = (at: unknown, key: PropertyKey) =>
    typeof at === 'string' ? at : (at as Record<PropertyKey, unknown> | undefined)?.[key];
  return path.reduce<unknown>(within, sent);
}

/** Makes a name from a request safe to show in an error message. */
export function shown(name: string): string {
  return cleanText(name, MAX_SHOWN);
}
