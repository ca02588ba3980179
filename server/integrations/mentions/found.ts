// What is kept of a thread, and whether its text mentions what was searched. Authors are never read.
import { cleanText } from '../../vocabulary/texts/spelling.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';

/** A thread as a place lists it. */
export type Found = {
  /** The place's own id of the thread. */
  thread: string;
  title: string;
  url: string;
  postedAt: number;
  /** Null where the place has none. */
  points: number | null;
  comments: number | null;
  /** All of its text, to check that it mentions the query. Not kept. */
  said: string;
};

const MAX_THREAD = 512;
const MAX_TITLE = 300;

type Read = Omit<Found, 'points' | 'comments' | 'postedAt'> & {
  postedAt: number | string;
  points?: number | null | undefined;
  comments?: number | null | undefined;
};

/** Cleans what a place sent. Undefined if the thread has no id, no time, or an address that is not of the web. */
export function readFound({ thread, title, url, postedAt, points, comments, said }: Read): Found | undefined {
  const at = typeof postedAt === 'number' ? postedAt : Date.parse(postedAt);
  const address = URL.parse(url);
  const isWeb = address !== null && /^https?:$/.test(address.protocol) && address.username === '';
  const id = cleanText(thread, MAX_THREAD);
  if (!isWeb || address.href.length > MAX_ADDRESS || id === '' || !Number.isSafeInteger(at) || at < 0) return undefined;
  const name = cleanText(title, MAX_TITLE).replaceAll(/\s+/g, ' ') || address.host;
  return {
    thread: id,
    title: name,
    url: address.href,
    postedAt: at,
    points: whole(points),
    comments: whole(comments),
    said,
  };
}

/** Scores can be negative. Anything else than a number counts as unknown. */
function whole(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** True if a text contains the query as a whole word: `example.com` is neither in `notexample.com` nor in `example.com.au`. Linear in the text. */
export function isSaid(said: string, query: string): boolean {
  const text = said.toLowerCase();
  const wanted = query.toLowerCase();
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!PART.test(text.slice(Math.max(0, at - 1), at)) && !CONTINUED.test(text.slice(end, end + 2))) return true;
  }
  return false;
}
const PART = /[\p{L}\p{N}_-]/u;
const CONTINUED = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u;
