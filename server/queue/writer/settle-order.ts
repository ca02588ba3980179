// Settles the reports of one order: decides which of them counts as the payment, and to which visit a server's reports belong. The result
// depends only on which reports exist, not on their order of arrival, so settling again changes nothing.
import { hash } from 'node:crypto';
import {
  type EventId,
  type Superseded,
  type VisitedEvent,
  WHOLE_VISIT_NAMES,
  type WholeVisitName,
} from '../../vocabulary/event.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import { dayOf } from '../../vocabulary/time/time.ts';

type Reports = {
  /** Reports that are stored already. */
  stored: VisitedEvent[];
  /** New reports. Those from browsers already have their visit. */
  added: VisitedEvent[];
};

type Settled = {
  /** The rows to store: the new reports, and copies of stored reports that turned out to belong to a visit. */
  events: VisitedEvent[];
  superseded: Superseded[];
};

/** Takes all events of one order of one site, from browsers (`confirmed` is false) and from servers. */
export function settleOrder({ stored, added }: Reports): Settled {
  const known = new Set(stored.map(({ event_id }) => event_id));
  // The queue recognises an id for a day. A server's event with an order is recognised forever, by comparing it with the stored reports.
  const fresh = added.filter((row) => !(row.confirmed && known.has(row.event_id)));
  const inOrder = [...stored, ...fresh].sort(byTime);
  const placed = fresh.map((row) => (row.confirmed ? place(row, inOrder) : row));
  const late = stored.flatMap((original) => {
    const home = isWithoutVisit(original) && browserReportOf(original, inOrder);
    return home ? { original, twin: { ...join(original, home), event_id: twinId(original) } } : [];
  });
  const twins = late.map(({ twin }) => twin).filter(({ event_id }) => !known.has(event_id));
  const originals = new Set(late.map(({ original }) => original));
  const counted = [...stored, ...placed, ...twins].filter((row) => !originals.has(row));
  return {
    events: [...placed, ...twins],
    superseded: [...[...originals].map((row) => superseded(row, { replaced: true })), ...uncountedOf(counted)],
  };
}

const byTime = (one: VisitedEvent, other: VisitedEvent) =>
  one.time - other.time || byText(one.event_id, other.event_id);
const isWithoutVisit = (row: VisitedEvent) => row.confirmed && row.visit_id === 0n;
const isRefund = (row: VisitedEvent) => row.amount.startsWith('-');
const isPayment = (row: VisitedEvent) => row.currency !== '' && !isRefund(row);
/** The same order number in two currencies means two orders. An event without an amount matches any currency. */
const agree = (one: VisitedEvent, other: VisitedEvent) =>
  one.currency === '' || other.currency === '' || one.currency === other.currency;

/** Returns the browser's report whose visit a server's report belongs to: the first one of the same day. */
function browserReportOf(row: VisitedEvent, reports: VisitedEvent[]): VisitedEvent | undefined {
  return reports.find((one) => !one.confirmed && agree(one, row) && ownDay(one) === ownDay(row));
}

/** The site's day, on which visitor ids and visits end. */
const ownDay = ({ day, time }: VisitedEvent) => day || dayOf(time);

function place(row: VisitedEvent, reports: VisitedEvent[]): VisitedEvent {
  const home = browserReportOf(row, reports);
  if (home) return join(row, home);
  if (!isRefund(row)) return row;
  // A refund on another day is not part of the visit, but it reduces the revenue of the visit's source, campaign and country.
  const paid = reports.filter((one) => !isRefund(one) && agree(one, row));
  const origin = paid.find((one) => !one.confirmed) ?? paid[0];
  return origin ? { ...row, ...originOf(origin), props: { ...origin.props, ...row.props } } : row;
}

/**
 * A server's report neither ends a bounce nor lengthens the visit, since nobody was there. It inherits the visit's origin, and the
 * properties that it lacks.
 */
function join(row: VisitedEvent, home: VisitedEvent): VisitedEvent {
  const { visitor_id, visit_id } = home;
  const props = { ...home.props, ...row.props };
  return { ...row, ...originOf(home), visitor_id, visit_id, props, interactive: false };
}

function originOf(row: VisitedEvent): Pick<VisitedEvent, WholeVisitName> {
  const values = WHOLE_VISIT_NAMES.map((name) => [name, row[name]]);
  return Object.fromEntries(values) as ReturnType<typeof originOf>;
}

/** Depends on the event alone, so that its copy is stored only once. */
function twinId({ event_id }: VisitedEvent): EventId {
  return hash('sha256', `twin\0${event_id}`, 'hex').slice(0, 16) as EventId;
}

/** A server's report takes precedence over a browser's; among equals, the first report wins. */
const byPrecedence = (one: VisitedEvent, other: VisitedEvent) =>
  Number(other.confirmed) - Number(one.confirmed) || byTime(one, other);

/**
 * Returns the payments that do not count. `replaced`: the row does not count as an event either, since a better report has the same name.
 * To replace a browser's row, that report must be of the same visit; to replace a server's, it must come from a server.
 */
function uncountedOf(rows: VisitedEvent[]): Superseded[] {
  const ofCurrency = Map.groupBy(rows.filter(isPayment), ({ currency }) => currency);
  return [...ofCurrency.values()].flatMap((reports) => {
    const seen = new Set<string>();
    return reports.sort(byPrecedence).flatMap((row, index) => {
      const ofVisit = `${row.visit_id} ${row.name}`;
      const replaced = seen.has(row.confirmed ? row.name : ofVisit);
      seen.add(ofVisit);
      if (row.confirmed) seen.add(row.name);
      return index === 0 ? [] : superseded(row, { replaced });
    });
  });
}

function superseded({ site_id, event_id, time }: VisitedEvent, { replaced }: { replaced: boolean }): Superseded {
  return { site_id, event_id, time, replaced };
}
