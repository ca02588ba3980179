// What alerts noticed and mentions found on a site, as an Atom feed (RFC 4287). Names and titles come from strangers: they are cleaned, and escaped.
import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { listMentions } from '../../integrations/mentions/stored.ts';
import { listIncidents } from '../../notifications/alerts/incidents.ts';
import type { Site } from '../../sites/sites.ts';
import { wordsOf } from '../../vocabulary/settings/alert-words.ts';
import { placeRow } from '../../vocabulary/settings/mentions.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { cleanText } from '../../vocabulary/texts/spelling.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import type { Services } from '../trpc.ts';

/** A feed reader asks for them again and again. Older news is in the dashboard. */
const MAX_ENTRIES = 50;
const MAX_NAME = 300;

type Entry = { id: string; title: string; text: string; link: string; at: number; changedAt: number };
type About = { services: Pick<Services, 'directory'>; site: Site; isLimited: boolean; origin: string };

/** `isLimited`: for somebody who sees no small numbers. */
export async function newsOf({ services: { directory }, site, isLimited, origin }: About): Promise<string> {
  const siteId = site.id;
  const domain = domainToUnicode(site.domain);
  const dashboard = `${origin}/${encodeURIComponent(site.domain)}`;
  const wording = { domain, zone: site.timezone ?? UTC, show };
  const incidents = (await listIncidents(directory, { siteId, isLimited }))
    .filter(({ kind }) => kind !== 'mention') // its thread is an entry of its own
    .map((incident): Entry => {
      const { title, lines } = wordsOf(incident, wording);
      const { id, started_at: at, ended_at } = incident;
      return { id, title, text: lines.join(' '), link: dashboard, at, changedAt: ended_at ?? at };
    });
  const threads = (await listMentions(directory, { siteId, last: MAX_ENTRIES }))
    .filter(({ is_muted }) => !is_muted)
    .map(({ id, place, title, url, posted_at: at }): Entry => {
      const text = `${domain} is mentioned: ${placeRow(place).label}.`;
      return { id, title: `${placeRow(place).label}: ${show(title)}`, text, link: url, at, changedAt: at };
    });
  const entries = [...incidents, ...threads].sort((one, other) => other.changedAt - one.changedAt);
  const latest = entries.slice(0, MAX_ENTRIES);
  return feedOf({ id: siteId, domain, dashboard, changedAt: latest[0]?.changedAt ?? site.created_at, entries: latest });
}

const show = (name: string): string => cleanText(name, MAX_NAME);

type Feed = { id: string; domain: string; dashboard: string; changedAt: number; entries: readonly Entry[] };

function feedOf({ id, domain, dashboard, changedAt, entries }: Feed): string {
  const head = [
    element('id', uuidOf(id)),
    element('title', `${domain} in Footfall`),
    element('updated', iso(changedAt)),
    `<author>${element('name', 'Footfall')}</author>`,
    link(dashboard),
  ];
  const items = entries.map((entry) => `<entry>${partsOf(entry).join('')}</entry>`);
  const content = [...head, ...items].map((line) => `  ${line}\n`).join('');
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n${content}</feed>\n`;
}

const partsOf = ({ id, title, text, link: href, at, changedAt }: Entry): string[] => [
  element('id', uuidOf(id)),
  element('title', title),
  element('published', iso(at)),
  element('updated', iso(changedAt)),
  link(href),
  element('content', text),
];

const iso = (at: number): string => new Date(at).toISOString();
const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;
const link = (href: string): string => `<link href="${escapeXml(href)}"/>`;

/** An id must stay the same when the server or the site gets another name. */
function uuidOf(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${parts.join('-')}-${hash.slice(20, 32)}`; // version 8: made by a rule of one's own (RFC 9562)
}
