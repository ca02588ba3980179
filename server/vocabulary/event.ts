// The event that an accepted request becomes. It is anonymous from the start: no address, no user agent, no cookie.
// Field names are also the store's column names and the public names of the dimensions. This file imports no other file.
// A column is one row below: its name, its type, its blank value and whose value it is. The types of an event, the queue's format, the tables
// of the store (see store/columns.ts) and what a visit shares follow from the rows.

export type SiteId = string & { readonly __brand: 'SiteId' };
/** 64 bits as 16 hex digits; '' for events sent by a server, which have no visitor. */
export type VisitorId = string & { readonly __brand: 'VisitorId' };
/** 64 bits as 16 hex digits. Events with the same id within 24 hours count once. */
export type EventId = string & { readonly __brand: 'EventId' };
/** 64 bits as 16 hex digits: a keyed hash of the site's own order number. */
export type OrderId = string & { readonly __brand: 'OrderId' };

export const PAGEVIEW = 'pageview';
/** Sent when a page is hidden: extends the visit's duration, and is neither interactive nor a custom event. */
export const ENGAGEMENT = 'engagement';
/** Events that the script sends by itself. Except for a second page view, none of them ends a bounce. */
export const AUTOMATIC: ReadonlySet<string> = new Set([
  PAGEVIEW,
  ENGAGEMENT,
  'outbound_link',
  'file_download',
  'email_link',
  'phone_link',
  'form_submit',
  'not_found',
]);

/** A visit ends after this time without an event. Visitor ids expire at midnight of the site's day, so visits end there too. */
export const VISIT_MS = 30 * 60_000;
/** How long visits are kept. This is longer than VISIT_MS, since engagement can cover more than VISIT_MS of reading. */
export const VISIT_KEPT_MS = 2 * VISIT_MS;

export const DEVICES = ['mobile', 'tablet', 'desktop', 'tv', 'console', 'wearable', 'car', 'other'] as const;
export type Device = (typeof DEVICES)[number];

/** How an error came about: see numbers/errors.ts. */
export type ErrorKind = 'error' | 'rejection' | 'load';

export const AI_PURPOSES = ['crawler', 'search', 'user'] as const;
export type AiPurpose = (typeof AI_PURPOSES)[number];

/** Decides how the store and the queue write a column. */
export type ColumnType =
  'text' | 'id' | 'instant' | 'day' | 'number' | 'flag' | 'amount' | 'texts' | 'bigint' | 'measure';
export type Column<Value = unknown> = {
  type: ColumnType;
  /** The value when nothing is known. */
  blank: Value;
  /**
   * Whose value it is; by default that of one event. `visitor`: all events of a visitor's day have the same, as their id is made of it.
   * `visit`: that of the visit's first event, which the writer gives to all others. Both are kept with the visits of closed days.
   */
  of?: 'visitor' | 'visit';
};
type Values<Columns extends Record<string, Column>> = { [Name in keyof Columns]: Columns[Name]['blank'] };

const text = <Text extends string = string>(blank = '' as Text): Column<Text> => ({ type: 'text', blank });
const id = <Id extends string>(): Column<Id> => ({ type: 'id', blank: '' as Id });
const instant: Column<number> = { type: 'instant', blank: 0 };
/**
 * The day towards which a row counts, as YYYY-MM-DD: its site's day at collection. It never changes, even if the site's time zone does. ''
 * means the UTC day of `time`, for a site that has never had a time zone.
 */
const day: Column<string> = { type: 'day', blank: '' };
const number = <Value extends number = number>(): Column<Value> => ({ type: 'number', blank: 0 as Value });
const flag: Column<boolean> = { type: 'flag', blank: false };
/** A value that a browser may not have measured. */
const measure: Column<number | null> = { type: 'measure', blank: null };
/** The import that brought the row; '' for what the site has counted itself. */
const importId = text();
const ofVisitor = <Text extends string>(column: Column<Text>) => ({ ...column, of: 'visitor' }) as const;
const ofVisit = <Text extends string>(column: Column<Text>) => ({ ...column, of: 'visit' }) as const;

/** The origin of a visit; '' when unknown. */
const ATTRIBUTION = {
  channel: ofVisit(text()),
  source: ofVisit(text()),
  /** Host and path of the referring page, without scheme, query and fragment. */
  referrer: ofVisit(text()),
  utm_source: ofVisit(text()),
  utm_medium: ofVisit(text()),
  utm_campaign: ofVisit(text()),
  utm_content: ofVisit(text()),
  utm_term: ofVisit(text()),
};
export type Attribution = Values<typeof ATTRIBUTION>;

/** ISO 3166-1 alpha-2, ISO 3166-2, and a city's name; '' when unknown. */
const PLACE = { country: ofVisitor(text()), region: ofVisitor(text()), city: ofVisitor(text()) };
export type Place = Values<typeof PLACE>;

const CLIENT = {
  browser: ofVisitor(text()),
  browser_version: ofVisitor(text()),
  os: ofVisitor(text()),
  os_version: ofVisitor(text()),
  device: ofVisit(text<Device>('other')),
};
export type Client = Values<typeof CLIENT>;

/** What an event says when it is accepted. */
export const EVENT_COLUMNS = {
  site_id: text<SiteId>(),
  event_id: id<EventId>(),
  /** Milliseconds since the epoch, UTC. */
  time: instant,
  /** Together with the visitor id it identifies a visitor: no id is valid on two days. */
  day,
  visitor_id: id<VisitorId>(),
  name: text(),
  hostname: text(),
  /** Path of the page, at least '/', without query and fragment. */
  page: text(),
  ...ATTRIBUTION,
  ...PLACE,
  ...CLIENT,
  /** Primary language subtag and region, such as `de` or `pt-BR`. */
  language: ofVisit(text()),
  /** Width class of the window: see `collect/agents/screen.ts`. */
  screen: ofVisit(text()),
  props: { type: 'texts', blank: Object.freeze({}) } as Column<Record<string, string>>,
  /** The order that the event belongs to; '' for none. */
  order_id: id<OrderId>(),
  /**
   * Money in units of `currency`, as a decimal string with at most 4 digits after the point, negative for a refund. Both are '' without
   * money.
   */
  amount: { type: 'amount', blank: '' } as Column<string>,
  currency: text(),
  /** True when the site's own server reported the event. Otherwise it is a browser's claim, which anybody can make. */
  confirmed: flag,
  /** False for events that must not end a bounce: engagement, outbound links, downloads. */
  interactive: flag,
  /** Engagement only: visible milliseconds since the last engagement event, and scroll depth in per cent, 0 to 100. */
  engaged_ms: number(),
  scroll: number(),
};
export type Event = { kind: 'event' } & Values<typeof EVENT_COLUMNS>;

type NameOf<Columns, Of extends Column['of']> = {
  [Name in keyof Columns]: Columns[Name] extends { of: Of } ? Name : never;
}[keyof Columns];

/** How far the page view had been read before an engagement row; store/schema/001-collected.sql explains each column. */
export const READ_COLUMNS = {
  scroll_before: number(),
  engaged_before_ms: number(),
  out_of_order: number<0 | 1>(),
};
export type ReadPart = Values<typeof READ_COLUMNS>;

/** Columns that the queue's writer adds to an event; store/schema/001-collected.sql explains the others. */
export const VISIT_COLUMNS = {
  ...READ_COLUMNS,
  visit_id: { type: 'bigint', blank: 0n } as Column<bigint>,
  visit_started: number<0 | 1>(),
  bounces: number<-1 | 0 | 1>(),
  visit_ms: number(),
  entry_page: ofVisit(text()),
  import_id: importId,
};
export type VisitPart = Values<typeof VISIT_COLUMNS>;
export type VisitedEvent = Event & VisitPart;

/** Marks an event whose payment does not count, because a better report of the same order does: see queue/writer/orders.ts. */
export const SUPERSEDED_COLUMNS = {
  site_id: text<SiteId>(),
  event_id: id<EventId>(),
  time: instant,
  /** True if the better report is about the same event, so that this one does not count as an event either. */
  replaced: flag,
};
export type Superseded = Values<typeof SUPERSEDED_COLUMNS>;

export const AI_VISIT_COLUMNS = {
  site_id: text<SiteId>(),
  event_id: id<EventId>(),
  time: instant,
  day,
  ai_provider: text(),
  ai_agent: text(),
  ai_purpose: text<AiPurpose>('crawler'),
  hostname: text(),
  ai_page: text(),
  /** HTTP status that the agent received; 0 when unknown. */
  status: number(),
  import_id: importId,
};
export type AiVisit = { kind: 'ai_visit' } & Values<typeof AI_VISIT_COLUMNS>;

/** What a row that belongs to a page view has in common with it, so that filters by its visit read no events. */
const OF_VIEW = {
  site_id: text<SiteId>(),
  event_id: id<EventId>(),
  time: instant,
  day,
  visitor_id: id<VisitorId>(),
  hostname: text(),
  page: text(),
  ...ATTRIBUTION,
  ...PLACE,
  ...CLIENT,
  language: ofVisit(text()),
  screen: ofVisit(text()),
};

/** How fast a page view felt, as its browser measured it. */
const VITALS_COLUMNS = {
  ...OF_VIEW,
  /** Milliseconds, but `cls`, which has no unit. */
  lcp: measure,
  inp: measure,
  cls: measure,
  fcp: measure,
  ttfb: measure,
  /** Kinds of elements: a tag, and its role. */
  lcp_element: text(),
  inp_element: text(),
  navigation: text(),
  connection: text(),
};
export type Vitals = { kind: 'vitals' } & Values<typeof VITALS_COLUMNS>;

/** Errors of one shape on a page view. */
const PAGE_ERROR_COLUMNS = {
  ...OF_VIEW,
  /** The id of its kind, message and file: see collect/errors/read.ts. */
  error_shape: text(),
  error_kind: text<ErrorKind>('error'),
  error_message: text(),
  error_file: text(),
  error_line: number(),
  /** How often it happened since the browser last told. */
  occurrences: number(),
};
export type PageError = { kind: 'error' } & Values<typeof PAGE_ERROR_COLUMNS>;

/** The visit is 0 if it is not known: the row then keeps the columns that its own request has. */
const PLACED = { visit_id: VISIT_COLUMNS.visit_id, entry_page: VISIT_COLUMNS.entry_page, import_id: importId };
export type Placed = Pick<VisitPart, keyof typeof PLACED>;
export const STORED_VITALS_COLUMNS = { ...VITALS_COLUMNS, ...PLACED };
export type VisitedVitals = Vitals & Placed;
export const STORED_ERROR_COLUMNS = { ...PAGE_ERROR_COLUMNS, ...PLACED };
export type VisitedError = PageError & Placed;

const namesOf = <Columns extends object>(columns: Columns) => Object.keys(columns) as (keyof Columns & string)[];
export const EVENT_NAMES = namesOf(EVENT_COLUMNS);
const OF_VIEW_NAMES = namesOf(OF_VIEW);
/** The columns that the writer gives to all events of a visit, besides its entry page. */
export const SHARED_NAMES = EVENT_NAMES.filter(
  (name): name is NameOf<typeof EVENT_COLUMNS, 'visit'> => EVENT_COLUMNS[name].of === 'visit',
);

/** All columns of a stored event that have a row here. */
export const STORED_COLUMNS = { ...EVENT_COLUMNS, ...VISIT_COLUMNS };
export type WholeVisitName = NameOf<typeof STORED_COLUMNS, 'visitor' | 'visit'>;
/** The columns with one value for a whole visit: where its visitor came from, where they are, what they use, and where it began. */
export const WHOLE_VISIT_NAMES = namesOf(STORED_COLUMNS).filter(
  (name): name is WholeVisitName => STORED_COLUMNS[name].of !== undefined,
);

export function blankOf<Columns extends Record<string, Column>>(columns: Columns): Values<Columns> {
  return Object.fromEntries(namesOf(columns).map((name) => [name, columns[name]?.blank])) as Values<Columns>;
}

/** New events start as copies of this one. */
export const BLANK_EVENT: Event = { kind: 'event', ...blankOf(EVENT_COLUMNS) };
export const BLANK_AI_VISIT: AiVisit = { kind: 'ai_visit', ...blankOf(AI_VISIT_COLUMNS) };

/** True for properties of an event that has none. They are seldom the same object as the blank ones. */
export function isEmptyList(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

export const BLANK_VITALS: Vitals = { kind: 'vitals', ...blankOf(VITALS_COLUMNS) };
export const BLANK_ERROR: PageError = { kind: 'error', ...blankOf(PAGE_ERROR_COLUMNS) };

const sharedWith = (event: Event) =>
  Object.fromEntries(OF_VIEW_NAMES.map((name) => [name, event[name]])) as Values<typeof OF_VIEW>;

/** The measurements of a page view before any is made: with what its event says of it. */
export const vitalsOfView = (event: Event): Vitals => ({ ...BLANK_VITALS, ...sharedWith(event) });
/** The same of an error. */
export const errorOfView = (event: Event): PageError => ({ ...BLANK_ERROR, ...sharedWith(event) });

/** An entry of the queue. */
export type Recorded = Event | AiVisit | Vitals | PageError;

/** True when an event of the same visitor belongs to the visit. A late event (a retry after an outage) belongs to the visit at its time. */
export function continuesVisit(
  visit: { startedAt: number; lastAt: number },
  event: Pick<Event, 'time' | 'engaged_ms'>,
): boolean {
  const idleMs = event.time - event.engaged_ms - visit.lastAt;
  return idleMs < VISIT_MS && event.time > visit.startedAt - VISIT_MS;
}
