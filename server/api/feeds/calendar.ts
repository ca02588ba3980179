// The notes of a site as a calendar (RFC 5545): each is an event of a whole day. The package for this has 800 kB; this is all that notes need of it.
import { domainToUnicode } from 'node:url';
import { listNotes } from '../../sites/definitions/notes.ts';
import type { Site } from '../../sites/sites.ts';
import { DAY_MS, dayOf, readDay } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import type { Services } from '../trpc.ts';

/** Octets of a line, without its end. */
const MAX_LINE = 75;

type About = { services: Pick<Services, 'directory'>; site: Site; origin: string };

export async function calendarOf({ services: { directory }, site, origin }: About): Promise<string> {
  const notes = await listNotes(directory, { siteId: site.id, isShared: false });
  const domain = domainToUnicode(site.domain);
  const dashboard = `${origin}/${encodeURIComponent(site.domain)}`;
  const events = notes.flatMap(({ id, day, text, is_private }) => [
    'BEGIN:VEVENT',
    `UID:${id}`,
    // When a note was written again is not kept.
    `DTSTAMP:${dateOf(day)}T000000Z`,
    // A day of the site's own zone, without a time: it is the same day wherever the calendar is read.
    `DTSTART;VALUE=DATE:${dateOf(day)}`,
    `DTEND;VALUE=DATE:${dateOf(dayOf((readDay(day) ?? 0) + DAY_MS))}`,
    `SUMMARY:${escapeText(`${domain}: ${text}`)}`,
    `URL:${dashboard}?period=custom&date_from=${day}&date_to=${day}`,
    `CLASS:${is_private ? 'PRIVATE' : 'PUBLIC'}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Footfall//Notes//EN',
    `NAME:${escapeText(`Notes of ${domain}`)}`,
    `X-WR-CALNAME:${escapeText(`Notes of ${domain}`)}`,
    `X-WR-TIMEZONE:${site.timezone ?? UTC}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

const dateOf = (day: string): string => day.replaceAll('-', '');

const escapeText = (text: string): string => text.replace(/[\\;,]/g, (sign) => `\\${sign}`).replace(/\s+/g, ' ');

/** Continues a long line on the next ones, which begin with a space. A character is never cut in two. */
function fold(line: string): string {
  let [folded, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MAX_LINE) [folded, octets] = [`${folded}\r\n `, 1];
    folded += character;
    octets += size;
  }
  return folded;
}
