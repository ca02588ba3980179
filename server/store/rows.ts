// Recorded events as rows of the store: the one list of columns, in the order in which they are sent.
import type { AiVisit, Event } from '../event.ts';

/** What an event adds to its visit; see schema/001-events.sql for each. */
export type VisitPart = {
  visit_id: bigint;
  visit_started: 0 | 1;
  bounces: -1 | 0 | 1;
  visit_ms: number;
};

export type VisitedEvent = Event & VisitPart & { entry_page: string };

type Column<T> = { [K in keyof T]: (row: T) => string | number | Record<string, string> };

const hex = (id: string) => (id === '' ? '0' : BigInt(`0x${id}`).toString());
/** ClickHouse reads a DateTime64(3) from seconds with a decimal point. */
const seconds = (ms: number) => (ms / 1000).toFixed(3);

const EVENT_COLUMNS = {
  site_id: (row) => row.site_id,
  time: (row) => seconds(row.time),
  event_id: (row) => hex(row.event_id),
  name: (row) => row.name,
  visitor_id: (row) => hex(row.visitor_id),
  visit_id: (row) => row.visit_id.toString(),
  visit_started: (row) => row.visit_started,
  bounces: (row) => row.bounces,
  visit_ms: (row) => row.visit_ms,
  page: (row) => row.page,
  entry_page: (row) => row.entry_page,
  hostname: (row) => row.hostname,
  channel: (row) => row.channel,
  source: (row) => row.source,
  referrer: (row) => row.referrer,
  utm_source: (row) => row.utm_source,
  utm_medium: (row) => row.utm_medium,
  utm_campaign: (row) => row.utm_campaign,
  utm_content: (row) => row.utm_content,
  utm_term: (row) => row.utm_term,
  country: (row) => row.country,
  region: (row) => row.region,
  city: (row) => row.city,
  language: (row) => row.language,
  browser: (row) => row.browser,
  browser_version: (row) => row.browser_version,
  os: (row) => row.os,
  os_version: (row) => row.os_version,
  device: (row) => row.device,
  screen: (row) => row.screen,
  props: (row) => row.props,
  amount: (row) => row.amount || '0',
  currency: (row) => row.currency,
  confirmed: (row) => (row.confirmed ? 1 : 0),
  interactive: (row) => (row.interactive ? 1 : 0),
  engaged_ms: (row) => row.engaged_ms,
  scroll: (row) => row.scroll,
} satisfies Partial<Column<VisitedEvent>>;

const AI_VISIT_COLUMNS = {
  site_id: (row) => row.site_id,
  time: (row) => seconds(row.time),
  event_id: (row) => hex(row.event_id),
  ai_provider: (row) => row.ai_provider,
  ai_agent: (row) => row.ai_agent,
  ai_purpose: (row) => row.ai_purpose,
  hostname: (row) => row.hostname,
  ai_page: (row) => row.ai_page,
  status: (row) => row.status,
} satisfies Partial<Column<AiVisit>>;

/** The tables that the writer fills, and how a row of each is made. */
export const TABLES = {
  events: table<VisitedEvent>(EVENT_COLUMNS),
  ai_visits: table<AiVisit>(AI_VISIT_COLUMNS),
};

function table<T>(columns: Partial<Column<T>>) {
  const cells = Object.values(columns) as ((row: T) => unknown)[];
  return {
    columns: Object.keys(columns) as [string, ...string[]],
    toCells: (row: T): unknown[] => cells.map((cell) => cell(row)),
  };
}
