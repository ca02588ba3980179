// Caches of the API: keys, plans and sites for a second, answers with numbers for a minute.
import { createHash } from 'node:crypto';
import { bytesFor } from '../../process/bounded-memory.ts';
import type { VersionOf } from '../../stats/answer-cache.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { type Audience, openAudience } from '../../process/shared-signal.ts';
import { MINUTE_MS, startOfDay } from '../../vocabulary/time/time.ts';

/** Changes to keys, plans and sites reach every process within this time. The documentation promises two seconds. */
const LOOKUP_MS = 1000;
const MAX_LOOKUPS = 10_000;

/** Shares one lookup among all callers within a second. Failed and empty lookups are not cached. */
export function openLookups<Found>() {
  const cache = new Map<string, { found: Promise<Found | undefined>; readAt: number }>();
  return (key: string, now: number, read: () => Promise<Found | undefined>): Promise<Found | undefined> => {
    const entry = cache.get(key);
    if (entry && Math.abs(now - entry.readAt) < LOOKUP_MS) return entry.found;
    if (cache.size >= MAX_LOOKUPS) cache.clear();
    const found = read();
    const fresh = { found, readAt: now };
    cache.set(key, fresh);
    const forget = () => cache.get(key) === fresh && cache.delete(key);
    found.then((result) => result === undefined && forget(), forget);
    return found;
  };
}

/** The same as `Cache-Control: max-age`. */
const ANSWER_MS = MINUTE_MS;
/** For ranges that include today while other processes store events too, which this process does not notice. */
const GROWING_MS = 5_000;
/** In characters, each of which takes up to two bytes. */
const MAX_ANSWERS_LENGTH = bytesFor('apiAnswers') / 2;

export type Answer = { text: string; etag: string };
type Entry = { answer: Promise<Answer>; audience: Audience; version: number | undefined; at: number; length: number };
/** `work` gets a signal that aborts once every caller who shares its answer has left. */
type Asked = { signal: AbortSignal; work(signal: AbortSignal): Promise<Answer> };
/** `text` must contain everything that the answer depends on. */
type Question = { siteId: string; range: Range; text: string };

/**
 * Caches answers for at most a minute. A new event that this process stores ends that sooner, so that the API agrees with the dashboard and
 * the export.
 */
export function openAnswers(versionOf: VersionOf) {
  const cache = new Map<string, Entry>();
  let length = 0;

  const forget = (key: string) => {
    length -= cache.get(key)?.length ?? 0;
    cache.delete(key);
  };

  return async ({ siteId, range, text }: Question, now: number, { signal, work }: Asked): Promise<Answer> => {
    const key = `${siteId} ${range.from} ${range.to} ${text}`;
    const version = versionOf(siteId, range);
    const entry = cache.get(key);
    if (entry && entry.version === version && entry.at <= now) {
      const isGrowing = version === undefined && range.to > startOfDay(now);
      const isFresh = now - entry.at < (isGrowing ? GROWING_MS : ANSWER_MS);
      if (isFresh && entry.audience.join(signal)) return entry.answer;
    }
    forget(key);
    const audience = openAudience();
    audience.join(signal);
    const answer = work(audience.signal).finally(audience.end);
    const fresh = { answer, audience, version, at: now, length: key.length };
    cache.set(key, fresh);
    length += fresh.length;
    try {
      const { text } = await answer;
      if (cache.get(key) === fresh) {
        fresh.length += text.length;
        length += text.length;
      }
    } catch (error) {
      if (cache.get(key) === fresh) forget(key);
      throw error;
    }
    for (const oldest of cache.keys()) {
      if (length <= MAX_ANSWERS_LENGTH) break;
      forget(oldest);
    }
    return answer;
  };
}

/** A strong ETag: equal texts have equal tags. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** True if If-None-Match names the tag (RFC 9110, 13.1.2: compared weakly). */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
