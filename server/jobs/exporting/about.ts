// What an open export says about itself: a README for people, and a JSON schema of its tables for programs.
import type { ColumnType } from '../../vocabulary/event.ts';
import { EXPORTED_COLUMNS } from '../../stats/answers/exported-rows.ts';

/** A column: its type in JSON and its meaning. */
type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object';
type About = { type: JsonType | [JsonType, 'null']; format?: string; description: string };
const text = (description: string): About => ({ type: 'string', description });
const whole = (description: string): About => ({ type: 'integer', description });
/** Days that were imported from another product may lack it. */
const orNone = (about: Omit<About, 'type'> & { type: JsonType }): About => ({ ...about, type: [about.type, 'null'] });
const date = (description: string): About => ({ type: 'string', format: 'date', description });

const COUNTS = {
  unique_visitors: whole('Visitors of the day'),
  visits: orNone({
    type: 'integer',
    description: 'Visits that began; empty where an imported day does not tell a number',
  }),
  pageviews: orNone({ type: 'integer', description: 'Page views' }),
  events: whole('Events other than page views'),
  bounces: orNone({
    type: 'integer',
    description: 'Visits with one page view and nothing else; 0 where a visit can have several values',
  }),
  visit_seconds: orNone({ type: 'number', description: 'Duration of all visits together, in seconds' }),
} satisfies Record<string, About>;

/** The columns whose names do not say all. */
const MEANINGS: Record<string, string> = {
  time: 'When it happened, in UTC, cut to the minute',
  day: 'The day of the site towards which it counts',
  name: 'pageview, engagement (the end of a page view), or the name of an event',
  page: 'Path of the page',
  referrer: 'Host and path of the page that linked here',
  screen: 'Width class of the window',
  props: 'Properties of the event; JSON in the CSV',
  amount: 'Payment in units of currency, negative for a refund; 0 for none',
  confirmed: '1 if the server of the site reported it',
  interactive: '1 if it ends a bounce',
  engaged_ms: 'Of engagement: milliseconds for which the page was visible',
  scroll: 'Of engagement: how far the page was scrolled, in per cent',
  visit_started: '1 for the first row of a visit: their sum is the visits',
  bounces: '1 for the row that makes a visit a bounce, -1 for the one that ends it: their sum is the bounces',
  visit_ms: 'Milliseconds since the last row of the visit: their sum is the duration of all visits',
  entry_page: 'First page of the visit',
  status: 'HTTP status that the agent got; 0 if it is not known',
  lcp: 'Largest Contentful Paint, in milliseconds; empty if it was not measured, as all vitals',
  inp: 'Interaction to Next Paint, in milliseconds',
  cls: 'Cumulative Layout Shift',
  fcp: 'First Contentful Paint, in milliseconds',
  ttfb: 'Time to First Byte, in milliseconds',
  lcp_element: 'Kind of the largest element',
  inp_element: 'Kind of the slowest element',
  error_shape: 'Id of the kind, the message and the file together',
  error_kind: 'error, rejection (of a promise), or load (of a script, style or picture)',
  error_message: 'With placeholders for texts, addresses, numbers and ids; for load, the element',
  error_file: 'Path of the script or file, with its host if that is not the page’s',
  error_line: 'Line in the file; 0 when unknown',
  occurrences: 'How often it happened',
  ai_purpose: 'crawler, search, or user (a person asked for the page)',
};

const TYPES: Partial<Record<ColumnType, Omit<About, 'description'>>> = {
  instant: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  number: { type: 'integer' },
  flag: { type: 'integer' },
  amount: { type: 'number' },
  texts: { type: 'object' },
  measure: { type: ['number', 'null'] },
};

const rowsOf = (columns: Record<string, { type: ColumnType }>): Record<string, About> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { type }]) => {
      const about = TYPES[type] ?? { type: 'string' };
      return [name, { ...about, description: MEANINGS[name] ?? name.replaceAll('_', ' ') }];
    }),
  );

/** The tables of numbers, with their columns. */
const TABLES: Record<string, { description: string; columns: Record<string, About> }> = {
  daily_sums: {
    description:
      'The numbers of each value of each dimension on each day that is over. Rows without a dimension are the totals of the day.',
    columns: {
      date: date('The day of the site'),
      dimension: text('Such as page or country; empty for the totals'),
      value: text('Such as /pricing or DE'),
      ...COUNTS,
    },
  },
  daily_goals: {
    description:
      'How often each goal was reached on each day that is over. Rows without a goal are about all goals together.',
    columns: {
      date: date('The day of the site'),
      goal_id: text('Id of the goal; empty for all together'),
      goal: text('Its name'),
      conditions: text('What reaches it, as JSON'),
      conversions: whole('How often it was reached'),
      converted_visitors: whole('Visitors who reached it'),
      revenue: { type: 'number', description: 'Payments less refunds, in units of currency' },
      currency: text('ISO 4217'),
    },
  },
  events: { description: 'Page views, events and the ends of page views', columns: rowsOf(EXPORTED_COLUMNS.events) },
  ai_visits: { description: 'Visits by crawlers and assistants', columns: rowsOf(EXPORTED_COLUMNS.ai_visits) },
  vitals: {
    description: 'How fast page views felt, of sites that are measured',
    columns: rowsOf(EXPORTED_COLUMNS.vitals),
  },
  errors: { description: 'Errors on pages, of sites that record them', columns: rowsOf(EXPORTED_COLUMNS.errors) },
};

/** JSON Schema 2020-12: a definition for each table, of one row. */
export const SCHEMA = JSON.stringify(
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Tables of an export of Footfall',
    $defs: Object.fromEntries(
      Object.entries(TABLES).map(([name, { description, columns }]) => [
        name,
        {
          type: 'object',
          description,
          properties: columns,
          required: Object.keys(columns),
          additionalProperties: false,
        },
      ]),
    ),
  },
  null,
  2,
);

export const README = `Everything that Footfall holds about your sites.

Each site has a folder:

daily_sums/    the numbers of each day, and of each value of each dimension on it
daily_goals/   how often goals were reached on each day
events/        page views, events and the ends of page views
ai_visits/     visits by crawlers and assistants
vitals/        how fast page views felt, of sites that are measured
errors/        errors on pages, of sites that record them
settings, goals, funnels, segments, notes   what people have set up

These have a file for each month. Tables are there twice: as CSV (UTF-8, RFC 4180) and as Parquet. In the CSV, an apostrophe stands before text that a spreadsheet would run as a
formula. schema.json says what each column is. The files that end in .json have all rows about the site; those in the folder "account" are about the
account. Keys, tokens and links are listed without their secrets, which Footfall does not know.

Rows of events hold no id of a visitor or a visit, and their time is the minute: Footfall shows nobody's single visits, not even to you. Replaced
reports of an order are left out.

Another Footfall reads daily_sums and daily_goals: drop this file into the settings of a site there, under Import.

Search terms from Google Search Console are not included: Google keeps them for 16 months.
Days are those of the site's time zone, amounts are in units of their currency, and times are in UTC.
`;
