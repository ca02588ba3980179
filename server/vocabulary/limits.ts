// Limits on events and queries. Text lengths are in characters.

/** Properties of an event. */
export const MAX_PROPS = 30;
/** A property's key. */
export const MAX_KEY = 64;
const KEY_RULE = `must have keys of 1 to ${MAX_KEY} visible characters`;
/** What is wrong with the properties of an event, as an error of zod says it. */
export const propsRule = ({ code }: { code?: string | undefined }): string =>
  code === 'invalid_key' ? KEY_RULE : 'must be an object whose values are strings or numbers';
/** A property's value. */
export const MAX_VALUE = 512;
export const VALUE_RULE = `must be a string of at most ${MAX_VALUE} characters or a finite number`;
/** An event's name. */
export const MAX_NAME = 64;
/** Above any payment, and small enough that sums of millions stay exact in the store's Decimal(18, 4). */
export const MAX_AMOUNT = 1_000_000_000;
/** A currency (ISO 4217). */
export const CURRENCY = /^[A-Z]{3}$/;
export const CURRENCY_RULE = 'must be a currency code of three capital letters (ISO 4217), such as EUR';
/** A site's own order number. */
export const MAX_ORDER = 64;
export const ORDER_RULE = `must be 1 to ${MAX_ORDER} visible characters`;
/** The address of a page. */
export const MAX_ADDRESS = 2048;
export const ADDRESS_RULE = `must be an absolute http or https address of at most ${MAX_ADDRESS} characters`;
/** The user agent and other request headers. */
export const MAX_HEADER = 512;
/** The form of ids that senders choose, so that a repeated event counts once. */
export const SENDER_ID = /^[\x21-\x7e]{1,64}$/;
export const SENDER_ID_RULE = 'must be 1 to 64 visible ASCII characters';
/** Events or reports in one request. */
export const MAX_BATCH = 100;

/** The id of a site, a key or another record, in requests. */
export const MAX_RECORD_ID = 64;
export const MAX_FILTERS = 20;
/** Values in one filter. */
export const MAX_FILTER_VALUES = 50;
/** One value of a filter: it may be an address. */
export const MAX_FILTER_VALUE = MAX_ADDRESS;
export const MAX_SEARCH = 256;
export const MAX_PAGE = 100_000;
/** Entries of a page of the account's log, and of a webhook's. */
export const LOG_PAGE = 50;
/** Goals of a site. */
export const MAX_GOALS = 100;
/** Steps of a funnel. */
export const MAX_STEPS = 8;
/** Rows of a list whose trends one answer has. */
export const MAX_TRENDS = 100;
/** Rows in one answer. */
export const MAX_ROWS = 1000;

/** Limits on the errors of browsers that are stored, of a site and of one address. */
export const ERROR_LIMITS = {
  /** Messages an hour. Each is about one shape on one page view. */
  messages: { site: 5_000, address: 200 },
  /** Different shapes a day: more than anybody reads. */
  shapes: { site: 300, address: 30 },
} as const;
