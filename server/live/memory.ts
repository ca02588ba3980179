// The windows of one process, in memory. Counts are kept up to date, so a sighting costs the same however many visitors there are. Memory
// is bounded by bytes: above the limit, the largest site forgets the visitors that it saw longest ago. A forgotten visitor who returns
// counts as new: their minute may count them twice, and their source is that of their next event.
import { bytesFor, copyOfText } from '../process/bounded-memory.ts';
import { continuesVisit, ENGAGEMENT, type SiteId, VISIT_KEPT_MS } from '../vocabulary/event.ts';
import { FEWEST } from '../vocabulary/settings/privacy.ts';
import { openRepeats } from './repeats.ts';
import {
  CURRENT_MS,
  isNextStep,
  MINUTES,
  NOBODY,
  type Sighting,
  type Snapshot,
  stepOf,
  steppedSnapshot,
  type SteppedSnapshot,
  TOP,
  type Windows,
} from './windows.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const WINDOW_MS = MINUTES * MINUTE_MS;
const MINUTE_BITS = 2 ** MINUTES - 1;

type Visitor = {
  id: string;
  /** Time of the last event. */
  time: number;
  /** Time of the visit's first event, which determines the visit's source. */
  startedAt: number;
  /** Bit k is set if the visitor was seen in minute `minute - k`. */
  minutes: number;
  minute: number;
  page: string;
  source: string;
  country: string;
  isCurrent: boolean;
};

/** A visitor's size with their map entries, but without their texts; measured, and rounded up. */
const VISITOR_BYTES = 700;
/** A site's own maps. */
const SITE_BYTES = 3_000;

function bytesOfVisitor({ page, source, country }: Visitor): number {
  return VISITOR_BYTES + 2 * (page.length + source.length + country.length);
}

class SiteWindow {
  /** The latest time of any sighting or query so far. */
  latest = 0;
  current = 0;
  bytes = SITE_BYTES;
  readonly visitors = new Map<string, Visitor>();
  readonly pages = new Map<string, number>();
  readonly sources = new Map<string, number>();
  readonly countries = new Map<string, number>();
  private readonly perMinute = new Map<number, number>();
  /** Visitors by the second of their last event: finds those whose time is up without scanning the others. */
  private readonly bySecond = new Map<number, Set<Visitor>>();
  /** What viewers see, and who has come or moved since. */
  private shown: { snapshot: Snapshot; at: number; step: number } | undefined;
  private readonly moved = new Set<string>();
  private oldestSecond = Infinity;
  private oldestCurrentSecond = Infinity;

  /** Returns the source of the visit that the sighting belongs to. */
  record(sighting: Sighting): string {
    const { visitor_id: id, time, source } = sighting;
    if (time <= this.latest - WINDOW_MS) return source;
    this.moveTo(time);
    let visitor = this.visitors.get(id);
    const isOfVisit =
      visitor !== undefined && continuesVisit({ startedAt: visitor.startedAt, lastAt: visitor.time }, sighting);
    if (sighting.name === ENGAGEMENT && !isOfVisit) return source;
    if (!visitor) {
      visitor = newVisitor(sighting);
      this.visitors.set(visitor.id, visitor);
      this.bytes += bytesOfVisitor(visitor);
      this.file(visitor);
      this.enter(visitor);
    } else if (isOfVisit || time > visitor.time) {
      this.leave(visitor);
      this.bytes -= bytesOfVisitor(visitor);
      if (time < visitor.startedAt || !isOfVisit) {
        visitor.startedAt = time;
        visitor.source = copyOfText(source);
      }
      if (time >= visitor.time) this.moveVisitor(visitor, sighting);
      this.bytes += bytesOfVisitor(visitor);
      this.enter(visitor);
    }
    this.countMinute(visitor, minuteOf(time));
    if (this.moved.size < FEWEST) this.moved.add(visitor.id);
    return isOfVisit ? visitor.source : source;
  }

  private moveVisitor(visitor: Visitor, { time, page, country }: Sighting): void {
    if (secondOf(time) !== secondOf(visitor.time)) {
      this.unfile(visitor);
      visitor.time = time;
      this.file(visitor);
    }
    Object.assign(visitor, { time, page: copyOfText(page), country });
  }

  /** Drops the visitors who are no longer current at `now`, to the millisecond. */
  settle(now: number): void {
    if (now < this.latest - WINDOW_MS) this.reset(); // the clock was set back: sightings with later times are worthless
    this.moveTo(now);
    const boundary = this.bySecond.get(secondOf(this.latest - CURRENT_MS));
    for (const visitor of boundary ?? []) if (visitor.time <= this.latest - CURRENT_MS) this.leave(visitor);
  }

  snapshot(now: number): Snapshot {
    const running = minuteOf(now);
    return {
      current_visitors: this.current,
      minutes: Array.from({ length: MINUTES }, (_, i) => this.perMinute.get(running - MINUTES + 1 + i) ?? 0),
      pages: topOf(this.pages).map(([page, visitors]) => ({ page, visitors })),
      sources: topOf(this.sources).map(([source, visitors]) => ({ source, visitors })),
      countries: topOf(this.countries).map(([country, visitors]) => ({ country, visitors })),
    };
  }

  inSteps(now: number): SteppedSnapshot {
    const step = stepOf(now);
    const shown = this.shown ?? { snapshot: NOBODY, at: 0, step: NaN };
    const fresh = this.snapshot(now);
    const isDue = shown.step !== step && isNextStep(shown.snapshot, shown.at, { fresh, moved: this.moved.size, now });
    if (isDue) this.moved.clear();
    this.shown = isDue ? { snapshot: fresh, at: now, step } : { ...shown, step };
    return steppedSnapshot(this.shown.snapshot, this.shown.at, now);
  }

  /** Forgets the visitors that were seen longest ago until the site takes at most `bytes`. */
  forgetUntil(bytes: number): void {
    for (; this.bytes > bytes && this.visitors.size > 0; this.oldestSecond++)
      for (const visitor of this.bySecond.get(this.oldestSecond) ?? []) {
        if (this.bytes <= bytes) return;
        this.unfile(visitor);
        this.forget(visitor);
      }
  }

  /** Forgets a visitor, and that they were ever counted. */
  erase(id: string): void {
    const visitor = this.visitors.get(id);
    if (!visitor) return;
    for (let ago = 0; ago < MINUTES; ago++) {
      const minute = visitor.minute - ago;
      if ((visitor.minutes & (1 << ago)) !== 0 && this.perMinute.has(minute)) add(this.perMinute, minute, -1);
    }
    this.unfile(visitor);
    this.forget(visitor);
    this.shown = undefined;
    this.moved.delete(id);
  }

  private moveTo(now: number): void {
    if (now <= this.latest) return;
    const [before, after] = [this.latest, now];
    this.latest = now;
    if (secondOf(before) === secondOf(after)) return;
    if (after - before > 2 * VISIT_KEPT_MS) return this.reset(now);
    const firstCurrent = secondOf(now - CURRENT_MS);
    for (; this.oldestCurrentSecond < firstCurrent; this.oldestCurrentSecond++)
      for (const visitor of this.bySecond.get(this.oldestCurrentSecond) ?? []) this.leave(visitor);
    if (minuteOf(before) === minuteOf(after)) return;
    const firstMinute = minuteOf(now) - MINUTES + 1;
    for (const minute of this.perMinute.keys()) if (minute < firstMinute) this.perMinute.delete(minute);
    // Visitors are kept for as long as their visit may continue: a later event needs the visit's source.
    const firstKept = secondOf(now - VISIT_KEPT_MS);
    for (; this.oldestSecond < firstKept; this.oldestSecond++) this.forgetSecond(this.oldestSecond);
  }

  private reset(latest = 0): void {
    this.latest = latest;
    this.current = 0;
    this.bytes = SITE_BYTES;
    for (const map of [this.visitors, this.pages, this.sources, this.countries, this.perMinute, this.bySecond])
      map.clear();
    this.oldestSecond = this.oldestCurrentSecond = Infinity;
  }

  private forgetSecond(second: number): void {
    const visitors = this.bySecond.get(second);
    this.bySecond.delete(second);
    for (const visitor of visitors ?? []) this.forget(visitor);
  }

  private forget(visitor: Visitor): void {
    this.leave(visitor);
    this.visitors.delete(visitor.id);
    this.bytes -= bytesOfVisitor(visitor);
  }

  private file(visitor: Visitor): void {
    const second = secondOf(visitor.time);
    const visitors = this.bySecond.get(second);
    if (visitors) visitors.add(visitor);
    else this.bySecond.set(second, new Set([visitor]));
    // The search for visitors whose time is up starts at these seconds and counts up, so no visitor may be filed before them.
    this.oldestSecond = Math.min(this.oldestSecond, second);
    this.oldestCurrentSecond = Math.min(this.oldestCurrentSecond, second);
  }

  private unfile(visitor: Visitor): void {
    const second = secondOf(visitor.time);
    const visitors = this.bySecond.get(second);
    visitors?.delete(visitor);
    if (visitors?.size === 0) this.bySecond.delete(second);
  }

  private enter(visitor: Visitor): void {
    if (visitor.time <= this.latest - CURRENT_MS) return;
    visitor.isCurrent = true;
    this.current += 1;
    add(this.pages, visitor.page, 1);
    add(this.sources, visitor.source, 1);
    add(this.countries, visitor.country, 1);
  }

  private leave(visitor: Visitor): void {
    if (!visitor.isCurrent) return;
    visitor.isCurrent = false;
    this.current -= 1;
    add(this.pages, visitor.page, -1);
    add(this.sources, visitor.source, -1);
    add(this.countries, visitor.country, -1);
  }

  private countMinute(visitor: Visitor, minute: number): void {
    const ahead = minute - visitor.minute;
    if (ahead > 0) {
      visitor.minutes = ahead >= MINUTES ? 0 : (visitor.minutes << ahead) & MINUTE_BITS;
      visitor.minute = minute;
    }
    const bit = 1 << (visitor.minute - minute);
    if (visitor.minute - minute >= MINUTES || (visitor.minutes & bit) !== 0) return;
    visitor.minutes |= bit;
    add(this.perMinute, minute, 1);
  }
}

function newVisitor({ visitor_id, time, page, source, country }: Sighting): Visitor {
  return {
    id: copyOfText(visitor_id),
    time,
    startedAt: time,
    minutes: 0,
    minute: minuteOf(time),
    page: copyOfText(page),
    source: copyOfText(source),
    country,
    isCurrent: false,
  };
}

type MemoryWindows = Windows & { readonly visitors: number; readonly bytes: number };

export function openMemoryWindows(maxBytes = bytesFor('windows')): MemoryWindows {
  const sites = new Map<SiteId, SiteWindow>();
  let sweptMinute = 0;
  let bytes = 0;

  /** Forgets sites without recent visitors, once a minute. */
  function sweep(now: number): void {
    const minute = minuteOf(now);
    if (minute <= sweptMinute && minute > sweptMinute - MINUTES) return; // late sightings trigger no sweep
    sweptMinute = minute;
    bytes = 0;
    for (const [siteId, site] of sites) {
      site.settle(Math.max(now, site.latest));
      if (site.visitors.size === 0) sites.delete(siteId);
      else bytes += site.bytes;
    }
  }

  /** Frees a hundredth of the limit at a time, so that the search for the largest site is rare. */
  function makeRoom(): void {
    while (bytes > maxBytes) {
      const largest = [...sites.values()].reduce((a, b) => (a.bytes >= b.bytes ? a : b));
      const before = largest.bytes;
      largest.forgetUntil(before - maxBytes / 100);
      if (largest.bytes === before) return;
      bytes += largest.bytes - before;
    }
  }

  function settled(siteId: SiteId, now: number): SiteWindow | undefined {
    const site = sites.get(siteId);
    if (!site) return undefined;
    const before = site.bytes;
    site.settle(now);
    bytes += site.bytes - before;
    return site;
  }

  return {
    get visitors() {
      return [...sites.values()].reduce((sum, site) => sum + site.visitors.size, 0);
    },
    get bytes() {
      return bytes;
    },
    record(sighting) {
      if (sighting.visitor_id === '') return Promise.resolve(sighting.source);
      sweep(sighting.time);
      let site = sites.get(sighting.site_id);
      if (!site) {
        sites.set(sighting.site_id, (site = new SiteWindow()));
        bytes += site.bytes;
      }
      const before = site.bytes;
      const source = site.record(sighting);
      bytes += site.bytes - before;
      makeRoom();
      return Promise.resolve(source);
    },
    snapshot: (siteId, now) => Promise.resolve((settled(siteId, now) ?? new SiteWindow()).snapshot(now)),
    inSteps: (siteId, now) => Promise.resolve((settled(siteId, now) ?? new SiteWindow()).inSteps(now)),
    currentVisitors: (siteIds, now) =>
      Promise.resolve(new Map(siteIds.map((siteId) => [siteId, settled(siteId, now)?.current ?? 0]))),
    isRepeat: openRepeats(),
    forgetVisitors(siteId, visitorIds) {
      const site = sites.get(siteId);
      const before = site?.bytes ?? 0;
      for (const id of visitorIds) site?.erase(id);
      bytes += (site?.bytes ?? 0) - before;
      return Promise.resolve();
    },
    forget(siteId) {
      bytes -= sites.get(siteId)?.bytes ?? 0;
      sites.delete(siteId);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

const secondOf = (time: number) => Math.floor(time / SECOND_MS);
const minuteOf = (time: number) => Math.floor(time / MINUTE_MS);

function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The TOP names with the highest counts, ties by name, in one pass. */
function topOf(counts: Map<string, number>): [name: string, count: number][] {
  const top: [string, number][] = [];
  for (const entry of counts) {
    const last = top.at(-1);
    if (top.length === TOP && last && !precedes(entry, last)) continue;
    const place = top.findIndex((other) => precedes(entry, other));
    top.splice(place === -1 ? top.length : place, 0, entry);
    if (top.length > TOP) top.pop();
  }
  return top;
}

function precedes([name, count]: [string, number], [otherName, otherCount]: [string, number]): boolean {
  return count > otherCount || (count === otherCount && name < otherName);
}
