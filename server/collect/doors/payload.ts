// The payload that browsers send to /foot, checked and limited in size on arrival.
import { z } from 'zod';
import {
  ADDRESS_RULE,
  MAX_ADDRESS,
  MAX_AMOUNT,
  MAX_KEY,
  MAX_NAME,
  MAX_ORDER,
  MAX_PROPS,
  MAX_VALUE,
  ORDER_RULE,
  propsRule,
  SENDER_ID,
  SENDER_ID_RULE,
  VALUE_RULE,
} from '../../vocabulary/limits.ts';
import { ERROR_KINDS } from '../../vocabulary/numbers/errors.ts';
import { cleanText, cut } from '../../vocabulary/texts/spelling.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { CONNECTIONS, elementKind, MAX_MEASURED_MS, MAX_SHIFT, NAVIGATIONS } from '../agents/elements.ts';

export const MAX_BODY_BYTES = 32 * 1024;
/** The longest domain name (RFC 1035). */
export const MAX_SITE = 253;
/** Properties that the script reads from the page by itself. Site owners do not control their length, so they are cut, not refused. */
const READ_FROM_PAGE: Readonly<Record<string, string>> = {
  outbound_link: 'url',
  file_download: 'url',
  form_submit: 'action',
};

const NAME_RULE = `must be 1 to ${MAX_NAME} visible characters`;
const SITE_RULE = `must be the domain of a site, of at most ${MAX_SITE} characters`;
const AMOUNT_RULE = `must be a number from 0 to ${MAX_AMOUNT}`;
const CODE_RULE = 'must be a currency code of three letters, such as EUR';
const TEXT_RULE = 'must be a string';
const NUMBER_RULE = 'must be a number of 0 or more';
const MAX_WIDTH = 100_000;
const WIDTH_RULE = `must be a number from 0 to ${MAX_WIDTH}`;
const MAX_TOUCH = 1000;
const TOUCH_RULE = `must be a number from 0 to ${MAX_TOUCH}`;
const SWITCH_RULE = 'must be true or false';

const propKey = z
  .string()
  .max(MAX_KEY)
  .transform((text) => cleanText(text, MAX_KEY))
  .refine((key) => key !== '');
const propValue = z.union(
  [
    z
      .string()
      .max(MAX_VALUE)
      .transform((text) => cleanText(text, MAX_VALUE)),
    z.number().transform(String),
  ],
  {
    error: VALUE_RULE,
  },
);

const props = z
  .record(propKey, propValue, { error: propsRule })
  .refine((value) => Object.keys(value).length <= MAX_PROPS, `must have at most ${MAX_PROPS} keys`);

/** `amount` in units of the currency, 0 or more: only servers can report refunds. `currency` is an ISO 4217 code. */
const revenue = z.strictObject(
  {
    // Not coerced: an amount of null, true or [] is a mistake, not a payment of 0 or 1.
    amount: z
      .union(
        [
          z.number(),
          z
            .string()
            .regex(/^\d{1,16}(\.\d{1,16})?$/, AMOUNT_RULE)
            .transform(Number),
        ],
        { error: AMOUNT_RULE },
      )
      .pipe(z.number().min(0, AMOUNT_RULE).max(MAX_AMOUNT, AMOUNT_RULE))
      .transform((amount) => amount.toFixed(4)),
    currency: z
      .string(CODE_RULE)
      .regex(/^[A-Za-z]{3}$/, CODE_RULE)
      .transform((code) => code.toUpperCase()),
  },
  { error: 'must be an object with amount and currency' },
);

/** Shops number their orders, so numbers are accepted too. The text is cleaned, to equal the one that the shop's server sends. */
const order = z
  .union([z.string(), z.number().transform(String)], { error: ORDER_RULE })
  .pipe(z.string().max(MAX_ORDER, { error: ORDER_RULE }))
  .transform((text) => cleanText(text, MAX_ORDER))
  .pipe(z.string().min(1, { error: ORDER_RULE }));

/** URLs of advertisements can be longer than anything that is kept, so they are cut, not refused. */
export const pageUrl = z
  .string(ADDRESS_RULE)
  .min(1, ADDRESS_RULE)
  .max(16_384, ADDRESS_RULE)
  .overwrite((text) => text.slice(0, MAX_ADDRESS)); // keeps the type, so it is faster than a transform

/** A browser may send any short text. The REST API has a stricter rule for server-side events. */
const eventName = z
  .string(NAME_RULE)
  .max(MAX_NAME, NAME_RULE)
  .overwrite((text) => cleanText(text, MAX_NAME))
  .min(1, NAME_RULE);

const MS_RULE = `must be a number of milliseconds from 0 to ${MAX_MEASURED_MS}`;
const ms = z
  .number(MS_RULE)
  .min(0, MS_RULE)
  .max(MAX_MEASURED_MS, MS_RULE)
  .overwrite(Math.round)
  .nullable()
  .default(null);
const SHIFT_RULE = `must be a number from 0 to ${MAX_SHIFT}`;
/** A kind that is not one of these tells nothing, so it is left out, not refused. */
const oneOf = (names: ReadonlySet<string>) =>
  z
    .unknown()
    .transform((value) => (typeof value === 'string' && names.has(value) ? value : ''))
    .default('');
const element = z.unknown().transform(elementKind).default('');
/** What `foot.js?vitals` has measured. */
const vitals = z.object(
  {
    lcp: ms,
    inp: ms,
    fcp: ms,
    ttfb: ms,
    cls: z
      .number(SHIFT_RULE)
      .min(0, SHIFT_RULE)
      .max(MAX_SHIFT, SHIFT_RULE)
      .overwrite((shift) => Math.round(shift * 10_000) / 10_000)
      .nullable()
      .default(null),
    lcp_element: element,
    inp_element: element,
    navigation: oneOf(NAVIGATIONS),
    connection: oneOf(CONNECTIONS),
  },
  { error: 'must be an object of measurements' },
);

const MAX_LINE = 10_000_000;
const LINE_RULE = `must be a whole number from 0 to ${MAX_LINE}`;
const MAX_REPEATS = 10_000;
const REPEATS_RULE = 'must be a whole number of at least 1';
/** Only the start of a text is read. */
const MAX_ERROR_TEXT = 1_000;
const errorText = z.string(TEXT_RULE).overwrite((text) => text.slice(0, MAX_ERROR_TEXT));
/** What `foot.js?errors` tells: the errors of one shape. */
const error = z.object(
  {
    kind: z.enum(ERROR_KINDS, { error: `must be one of ${ERROR_KINDS.join(', ')}` }),
    message: errorText,
    file: errorText.default(''),
    line: z.int(LINE_RULE).min(0, LINE_RULE).max(MAX_LINE, LINE_RULE).default(0),
    count: z
      .int(REPEATS_RULE)
      .min(1, REPEATS_RULE)
      .overwrite((count) => Math.min(count, MAX_REPEATS))
      .default(1),
  },
  { error: 'must be an object about an error' },
);

const sentPayload = z.object(
  {
    site: z.string(SITE_RULE).min(1, SITE_RULE).max(MAX_SITE, SITE_RULE),
    name: eventName,
    url: pageUrl,
    referrer: z
      .string(TEXT_RULE)
      .overwrite((text) => text.slice(0, MAX_ADDRESS))
      .optional(),
    /** The address that a single-page app counted before this one; '' for none. */
    from: z
      .string(TEXT_RULE)
      .overwrite((text) => text.slice(0, MAX_ADDRESS))
      .optional(),
    /** Random id of a page load or event: events with the same id within 24 hours count once. */
    id: z
      .union(
        [
          z.number().transform(String), // `Math.random()`, as the script sends it
          z.string().regex(SENDER_ID, SENDER_ID_RULE),
        ],
        { error: SENDER_ID_RULE },
      )
      .optional(),
    props: props.optional(),
    revenue: revenue.optional(),
    order_id: order.optional(),
    /** Width of the window in CSS pixels. */
    width: z.number(WIDTH_RULE).min(0, WIDTH_RULE).max(MAX_WIDTH, WIDTH_RULE).optional(),
    /** `navigator.maxTouchPoints`: distinguishes an iPad from a Mac. */
    touch: z.number(TOUCH_RULE).min(0, TOUCH_RULE).max(MAX_TOUCH, TOUCH_RULE).optional(),
    webdriver: z.boolean(SWITCH_RULE).optional(),
    interactive: z.boolean(SWITCH_RULE).optional(),
    /** Engagement: visible milliseconds, and scroll depth in per cent. */
    engaged: z
      .number('must be a number')
      .overwrite((ms) => Math.min(Math.max(ms, 0), DAY_MS)) // a clock was set, or a screen on a wall shows the page for days
      .optional(),
    scroll: z
      .number(NUMBER_RULE)
      .min(0, NUMBER_RULE)
      .overwrite((percent) => Math.min(percent, 100)) // can exceed 100 if the page became shorter: all of it was seen
      .optional(),
    vitals: vitals.optional(),
    error: error.optional(),
  },
  { error: 'The body must be a JSON object' },
);
export const payload = z.preprocess(cutWhatWasRead, sentPayload);
export type Payload = z.output<typeof payload>;

function cutWhatWasRead(sent: unknown): unknown {
  const { name, props } = (sent ?? {}) as { name?: unknown; props?: Record<string, unknown> | null };
  const key = typeof name === 'string' && Object.hasOwn(READ_FROM_PAGE, name) ? READ_FROM_PAGE[name] : undefined;
  const value = key === undefined ? undefined : props?.[key];
  if (key === undefined || typeof value !== 'string' || value.length <= MAX_VALUE) return sent;
  return { ...(sent as object), props: { ...props, [key]: cut(value, MAX_VALUE) } };
}

/** Returns the first problem as a sentence that names the field. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'The request is malformed.';
  const field = issue.path.map(String).join('.');
  const message = issue.message.replace(/^Invalid input: /, '').replace(/\.$/, '');
  return field ? `${field}: ${message}.` : `${message}.`;
}
