// The windows of one process, in memory. Counts are kept, not counted: a sighting costs the same however many visitors there are.
// Memory is bounded: past a limit those seen longest ago are forgotten first, on the largest site.
import { continuesVisit, ENGAGEMENT, type SiteId, VISIT_KEPT_MS } from '../event.ts';
import { CURRENT_MS, MINUTES, REPEAT_MS, TOP, type Sighting, type Snapshot, type Windows } from './windows.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const WINDOW_MS = MINUTES * MINUTE_MS;
const MINUTE_BITS = 2 ** MINUTES - 1;

type Visitor = {
  id: string;
  /** Of the last event. */
  time: number;
  /** Of the first event of the visit, whose source it is. */
  startedAt: number;
  /** Bit k: seen in minute `minute - k`. */
  minutes: number;
  minute: number;
  page: string;
  source: string;
  country: string;
  isCurrent: boolean;
};

type Limits = {
  /** Past this many, visitors who are no longer current are forgotten early; a late sighting may then count in its minute twice. */
  keptVisitors: number;
  /** Past this many (about 300 bytes each), current ones are too. */
  currentVisitors: number;
};

class SiteWindow {
  /** The latest instant that a sighting or a question told. */
  latest = 0;
  current = 0;
  readonly visitors = new Map<string, Visitor>();
  readonly pages = new Map<string, number>();
  readonly sources = new Map<string, number>();
  readonly countries = new Map<string, number>();
  private readonly perMinute = new Map<number, number>();
  /** Visitors by the second of their last event: whoever is due to leave is found without looking at the rest. */
  private readonly bySecond = new Map<number, Set<Visitor>>();
  private oldestSecond = Infinity;
  private oldestCurrentSecond = Infinity;

  /** Returns the source of the sighting's visit. */
  record(sighting: Sighting): string {
    const { visitor_id: id, time, page, source, country } = sighting;
    if (time <= this.latest - WINDOW_MS) return source;
    this.moveTo(time);
    let visitor = this.visitors.get(id);
    const isOfVisit =
      visitor !== undefined && continuesVisit({ startedAt: visitor.startedAt, lastAt: visitor.time }, sighting);
    if (sighting.name === ENGAGEMENT && !isOfVisit) return source;
    if (!visitor) {
      const minute = minuteOf(time);
      visitor = { id, time, startedAt: time, minutes: 0, minute, page, source, country, isCurrent: false };
      this.visitors.set(id, visitor);
      this.file(visitor);
      this.enter(visitor);
    } else if (isOfVisit || time > visitor.time) {
      this.leave(visitor);
      if (time < visitor.startedAt || !isOfVisit) {
        visitor.startedAt = time;
        visitor.source = source;
      }
      if (time >= visitor.time) this.moveVisitor(visitor, sighting);
      this.enter(visitor);
    }
    this.countMinute(visitor, minuteOf(time));
    return isOfVisit ? visitor.source : source;
  }

  private moveVisitor(visitor: Visitor, { time, page, country }: Sighting): void {
    if (secondOf(time) !== secondOf(visitor.time)) {
      this.unfile(visitor);
      visitor.time = time;
      this.file(visitor);
    }
    Object.assign(visitor, { time, page, country });
  }

  /** Lets go of whoever is no longer current at `now`, to the millisecond. */
  settle(now: number): void {
    if (now < this.latest - WINDOW_MS) this.reset(); // the clock went back: what came from its future is worth nothing
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

  /** Forgets up to `count` of those seen longest ago, and returns how many. */
  forgetOldest(count: number, which: 'left' | 'any'): number {
    let forgotten = 0;
    const until = secondOf(this.latest - (which === 'any' ? 0 : CURRENT_MS));
    for (; this.oldestSecond < until && forgotten < count; this.oldestSecond++)
      forgotten += this.forgetSecond(this.oldestSecond);
    return forgotten;
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
    // Kept for as long as the visit may go on, so that its source is known then.
    const firstKept = secondOf(now - VISIT_KEPT_MS);
    for (; this.oldestSecond < firstKept; this.oldestSecond++) this.forgetSecond(this.oldestSecond);
  }

  private reset(latest = 0): void {
    this.latest = latest;
    this.current = 0;
    for (const map of [this.visitors, this.pages, this.sources, this.countries, this.perMinute, this.bySecond])
      map.clear();
    this.oldestSecond = this.oldestCurrentSecond = Infinity;
  }

  private forgetSecond(second: number): number {
    const visitors = this.bySecond.get(second);
    if (!visitors) return 0;
    this.bySecond.delete(second);
    for (const visitor of visitors) {
      this.leave(visitor);
      this.visitors.delete(visitor.id);
    }
    return visitors.size;
  }

  private file(visitor: Visitor): void {
    const second = secondOf(visitor.time);
    const visitors = this.bySecond.get(second);
    if (visitors) visitors.add(visitor);
    else this.bySecond.set(second, new Set([visitor]));
    // Nobody is there before these seconds, so that what leaves is found by counting up.
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

export function openMemoryWindows(
  limits: Limits = { keptVisitors: 100_000, currentVisitors: 500_000 },
): Windows & { readonly visitors: number } {
  const sites = new Map<SiteId, SiteWindow>();
  let sweptMinute = 0;
  let visitors = 0;
  let makeRoomAt = limits.keptVisitors;

  /** Once a minute: sites where nobody was for long are forgotten. */
  function sweep(now: number): void {
    const minute = minuteOf(now);
    if (minute <= sweptMinute && minute > sweptMinute - MINUTES) return; // late sightings are no reason
    sweptMinute = minute;
    visitors = 0;
    for (const [siteId, site] of sites) {
      site.settle(Math.max(now, site.latest));
      visitors += site.visitors.size;
      if (site.visitors.size === 0) sites.delete(siteId);
    }
    makeRoomAt = Math.max(limits.keptVisitors, Math.min(makeRoomAt, visitors));
  }

  function makeRoom(): void {
    if (visitors <= makeRoomAt) return;
    const portion = Math.ceil(limits.keptVisitors / 100);
    const [largest] = [...sites.values()].sort((a, b) => b.visitors.size - a.visitors.size);
    visitors -= largest?.forgetOldest(portion, visitors > limits.currentVisitors ? 'any' : 'left') ?? 0;
    // Where everybody is current there is nothing to gain by looking again at once.
    makeRoomAt = Math.max(limits.keptVisitors, visitors + portion);
  }

  function settled(siteId: SiteId, now: number): SiteWindow | undefined {
    const site = sites.get(siteId);
    site?.settle(now);
    return site;
  }

  return {
    get visitors() {
      return visitors;
    },
    record(sighting) {
      if (sighting.visitor_id === '') return Promise.resolve(sighting.source);
      sweep(sighting.time);
      let site = sites.get(sighting.site_id);
      if (!site) sites.set(sighting.site_id, (site = new SiteWindow()));
      const before = site.visitors.size;
      const source = site.record(sighting);
      visitors += site.visitors.size - before;
      makeRoom();
      return Promise.resolve(source);
    },
    snapshot: (siteId, now) => Promise.resolve((settled(siteId, now) ?? new SiteWindow()).snapshot(now)),
    currentVisitors: (siteIds, now) =>
      Promise.resolve(new Map(siteIds.map((siteId) => [siteId, settled(siteId, now)?.current ?? 0]))),
    isRepeat: openRepeats(),
    forget(siteId) {
      visitors -= sites.get(siteId)?.visitors.size ?? 0;
      sites.delete(siteId);
      return Promise.resolve();
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** Two generations of half a second each: what is older than both is forgotten whole. */
function openRepeats(): Windows['isRepeat'] {
  let young = new Map<string, { time: number; id: string | undefined }>();
  let old = young;
  let startedAt = 0;
  return ({ site_id, visitor_id, page, time, event_id: id }) => {
    if (Math.abs(time - startedAt) >= REPEAT_MS) {
      old = young;
      young = new Map();
      startedAt = time;
    }
    const key = `${site_id} ${visitor_id} ${page}`;
    const last = young.get(key) ?? old.get(key);
    if (last && Math.abs(time - last.time) < REPEAT_MS && (id === undefined || id !== last.id))
      return Promise.resolve(true);
    young.set(key, { time, id });
    return Promise.resolve(false);
  };
}

const secondOf = (time: number) => Math.floor(time / SECOND_MS);
const minuteOf = (time: number) => Math.floor(time / MINUTE_MS);

function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The first TOP, most first and ties by name, in one pass. */
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
