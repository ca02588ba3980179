// What is remembered for a moment: who a key belongs to and which site is meant (a second), and answers about numbers (a minute).
import { createHash } from 'node:crypto';
import { bytesFor } from '../../bounded-memory.ts';
import type { VersionOf } from '../../stats/answer-cache.ts';
import type { Range } from '../../stats/period.ts';
import { type Audience, openAudience } from '../../store/shared-signal.ts';
import { MINUTE_MS, startOfDay } from '../../vocabulary/time.ts';

/** Changes of keys, plans and sites hold on every process within this time; two seconds are promised. */
const LOOKUP_MS = 1000;
const MAX_LOOKUPS = 10_000;

/** Shares one reading among all who ask within a second; what fails or is not there is read again. */
export function openLookups<Found>() {
  const known = new Map<string, { found: Promise<Found | undefined>; readAt: number }>();
  return (key: string, now: number, read: () => Promise<Found | undefined>): Promise<Found | undefined> => {
    const entry = known.get(key);
    if (entry && Math.abs(now - entry.readAt) < LOOKUP_MS) return entry.found;
    if (known.size >= MAX_LOOKUPS) known.clear();
    const found = read();
    const fresh = { found, readAt: now };
    known.set(key, fresh);
    const forget = () => known.get(key) === fresh && known.delete(key);
    found.then((answer) => answer === undefined && forget(), forget);
    return found;
  };
}

/** `Cache-Control: max-age` says the same to clients. */
const ANSWER_MS = MINUTE_MS;
/** Of ranges that still grow, where other processes store events and nobody says when. */
const GROWING_MS = 5_000;
/** In characters, of which some take two bytes. */
const MAX_ANSWERS_LENGTH = bytesFor('apiAnswers') / 2;

export type Answer = { text: string; etag: string };
type Known = { answer: Promise<Answer>; audience: Audience; version: number | undefined; at: number; length: number };
/** `work` gets a signal of its own, which is aborted when all who share its answer have left. */
type Asked = { signal: AbortSignal; work(signal: AbortSignal): Promise<Answer> };
/** `text` must hold all that the answer depends on. */
export type Question = { siteId: string; range: Range; text: string };

/**
 * Answers for a minute at most, and never past the site's next event where this process knows of it, so that the API, the
 * dashboard and the export agree.
 */
export function openAnswers(versionOf: VersionOf) {
  const known = new Map<string, Known>();
  let length = 0;

  const forget = (key: string) => {
    length -= known.get(key)?.length ?? 0;
    known.delete(key);
  };

  return async ({ siteId, range, text }: Question, now: number, { signal, work }: Asked): Promise<Answer> => {
    const key = `${siteId} ${range.from} ${range.to} ${text}`;
    const version = versionOf(siteId, range);
    const entry = known.get(key);
    if (entry && entry.version === version && entry.at <= now) {
      const isGrowing = version === undefined && range.to > startOfDay(now);
      if (now - entry.at < (isGrowing ? GROWING_MS : ANSWER_MS)) {
        entry.audience.join(signal);
        return entry.answer;
      }
    }
    forget(key);
    const audience = openAudience();
    audience.join(signal);
    const answer = work(audience.signal);
    const fresh = { answer, audience, version, at: now, length: key.length };
    known.set(key, fresh);
    length += fresh.length;
    try {
      const { text } = await answer;
      if (known.get(key) === fresh) {
        fresh.length += text.length;
        length += text.length;
      }
    } catch (error) {
      if (known.get(key) === fresh) forget(key);
      throw error;
    }
    for (const oldest of known.keys()) {
      if (length <= MAX_ANSWERS_LENGTH) break;
      forget(oldest);
    }
    return answer;
  };
}

/** Strong: the same bytes, the same tag. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether If-None-Match names the tag (RFC 9110, 13.1.2: compared weakly). */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
