// Reads RSS and Atom.
import { readXml } from '../../process/outgoing/html.ts';
import { type Found, readFound } from './found.ts';
import { textOf } from './html-text.ts';

export type Parsed = { found: Found[]; skipped: number };

/** Counts what could not be read. */
export function tally(read: (Found | undefined)[]): Parsed {
  const found = read.filter((one) => one !== undefined);
  return { found, skipped: read.length - found.length };
}

const MAX_ENTRIES = 100;
/** Each element of an entry, by its names in RSS, RSS 1.0 and Atom. */
const FIELDS: ReadonlyMap<string, keyof Entry> = new Map(
  Object.entries({
    title: 'title',
    link: 'link',
    guid: 'id',
    id: 'id',
    pubdate: 'at',
    'dc:date': 'at',
    published: 'at',
    updated: 'changed',
    description: 'text',
    summary: 'text',
    content: 'text',
    'content:encoded': 'text',
  }),
);
type Entry = { title: string; link: string; id: string; at: string; changed: string; text: string };

const ROOTS: readonly string[] = ['rss', 'feed', 'rdf:rdf'];

/** Undefined if the text is neither RSS nor Atom. */
export function readFeed(xml: string): Parsed | undefined {
  const entries: Entry[] = [];
  const open: string[] = [];
  let isFeed = false;
  let entry: Entry | undefined;
  let depth = 0;
  readXml(xml, {
    onOpen: (written, { href, rel = 'alternate' }) => {
      const name = written.toLowerCase();
      if (open.length === 0) isFeed ||= ROOTS.includes(name);
      open.push(name);
      if (!entry && (name === 'item' || name === 'entry') && entries.length < MAX_ENTRIES) {
        entry = { title: '', link: '', id: '', at: '', changed: '', text: '' };
        depth = open.length;
      } else if (entry && name === 'link' && open.length === depth + 1 && href !== undefined && rel === 'alternate')
        entry.link ||= href;
    },
    onText: (text) => {
      const field = entry && FIELDS.get(open[depth] ?? '');
      // Atom may hold its text as elements.
      if (entry && field && (field === 'text' || open.length === depth + 1)) entry[field] += text;
    },
    onClose: () => {
      if (entry && open.length === depth) {
        entries.push(entry);
        entry = undefined;
      }
      open.pop();
    },
  });
  return isFeed ? tally(entries.map(found)) : undefined;
}

function found({ title, link, id, at, changed, text }: Entry): Found | undefined {
  const url = link.trim();
  const heading = textOf(title.trim());
  return readFound({
    thread: id.trim() || url,
    title: heading,
    url,
    postedAt: (at || changed).trim(),
    said: `${heading} ${url} ${textOf(text)}`,
  });
}
