// /share/DOMAIN/privacy: what a site counts, for its visitors. One page of HTML without scripts, which prints well. A site without one gets the same
// answer as a domain that nobody has.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import { habitsOfVisitor, inHabits } from '../../process/habits.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { leftOutIn } from '../../sites/left-out.ts';
import { settingsIn } from '../../sites/settings.ts';
import { readDomain } from '../../sites/domains/domain.ts';
import { publicDashboards } from '../../sites/sharing/public-links.ts';
import { closingOf, listShareLinks } from '../../sites/sharing/share.ts';
import { type Site, siteByDomain } from '../../sites/sites.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { date } from '../../vocabulary/numbers/format.ts';
import { contactLines } from '../../vocabulary/texts/contact.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { UTC, wallTime } from '../../vocabulary/time/zones.ts';
import type { Services } from '../trpc.ts';
import { sendPlainPage } from './plain-page.ts';
import { type Facts, type Section, wordsOf } from './transparency-words.ts';

const PATH = /^\/share\/([^/]+)\/privacy\/?$/;

/** What the address of such a page asks for; undefined for other addresses. */
export function readTransparency({ pathname, searchParams }: URL): Asked | undefined {
  const domain = PATH.exec(pathname)?.[1];
  return domain === undefined ? undefined : { domain, lang: searchParams.get('lang') };
}

type Asked = { domain: string; lang: string | null };
type Exchange = { request: IncomingMessage; response: ServerResponse; origin: string };

export async function sendTransparency(
  { services, files }: { services: Services; files: StaticFiles },
  { domain, lang }: Asked,
  { request, response, origin }: Exchange,
): Promise<void> {
  checkIsRead(request, response);
  const site = await siteByDomain(services.directory, readDomain(domain) ?? '');
  const isShown = site && site.lost_at === null && settingsIn(site.settings).transparency.shown;
  const facts = isShown ? await factsOf(services, site, origin) : undefined;
  inHabits(habitsOfVisitor(lang, request.headers['accept-language']), () => {
    const page = facts ? pageOf(facts, wallTime(services.now(), facts.site.timezone ?? UTC)) : noPage();
    sendPlainPage({ files, request, response }, page);
  });
}

async function factsOf({ directory, config, now }: Services, site: Site, origin: string): Promise<Facts> {
  const [made, log] = await Promise.all([
    listShareLinks(directory, site.id),
    directory.db
      .selectFrom('imports')
      .select('id')
      .where('site_id', '=', site.id)
      .where('format', '=', 'access-log')
      .limit(1)
      .executeTakeFirst(),
  ]);
  const open = made.filter((link) => closingOf(link, now()) === undefined);
  const dashboard = publicDashboards(config) === 'off' ? undefined : open.find((link) => link.public);
  const links = open.filter((link) => link !== dashboard);
  const isExact = ({ shows }: (typeof made)[number]) => shows.fewest === 1;
  return {
    site: { ...site, domain: domainToUnicode(site.domain), extra_hosts: site.extra_hosts.map(domainToUnicode) },
    settings: settingsIn(site.settings),
    networks: leftOutIn(site.settings)?.networks.length ?? 0,
    links: { all: links.length, exact: links.filter(isExact).length },
    dashboard: dashboard && { address: `${origin}/share/${site.domain}`, isExact: isExact(dashboard) },
    hasLogs: log !== undefined,
    host: new URL(origin).host,
  };
}

/** Escapes a text, and then marks it up. */
const marked = (words: string): string =>
  escapeXml(words)
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/&#60;(https:\/\/\S+?)&#62;/g, '<a href="$1">$1</a>');

const part = (words: string | readonly string[]): string =>
  typeof words === 'string'
    ? `<p>${marked(words)}</p>`
    : `<ul>${words.map((item) => `<li>${marked(item)}</li>`).join('')}</ul>`;

const section = (title: string, id: string, inner: string): string =>
  `<section id="${id}"><h2>${escapeXml(title)}</h2>\n${inner}\n</section>`;

function contactLine({ text, href }: ReturnType<typeof contactLines>[number]): string {
  if (href === undefined) return escapeXml(text);
  const rel = href.startsWith('mailto:') ? '' : ' rel="nofollow"';
  return `<a href="${escapeXml(href)}"${rel}>${escapeXml(text)}</a>`;
}

function pageOf(facts: Facts, now: number): { title: string; body: string } {
  const { lead, sections, kept } = wordsOf(facts);
  const { domain } = facts.site;
  const { contact } = facts.settings.transparency;
  const drawn = ({ title, id, parts }: Section) => section(title, id, parts.map(part).join('\n'));
  const rows = kept.map(
    ([what, long]) => `<tr><th scope="row">${escapeXml(what)}</th><td>${escapeXml(long)}</td></tr>`,
  );
  const table = `<table><thead><tr><th scope="col">${escapeXml(t('What'))}</th><th scope="col">${escapeXml(t('How long'))}</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  const why = t(
    'The operator of {domain} decides what is counted: for statistics about the use of the site. The legal basis is in the site’s privacy notice.',
    { domain },
  );
  const who = contact
    ? `<p>${escapeXml(t('Questions go to:'))}</p>\n<address>${contactLines(contact).map(contactLine).join('<br>')}</address>`
    : `<p>${escapeXml(t('How to reach them is in the imprint or the privacy notice.'))}</p>`;
  const foot = t('As of {date}. This page has no scripts and sets no cookies.', { date: date(now) });
  const [counted, told, ...others] = sections.map(drawn);
  return {
    title: t('How {domain} counts visits', { domain }),
    body: [
      `<p class="lead">${escapeXml(lead)}</p>`,
      counted,
      told,
      section(t('What is kept, and for how long'), 'kept', table),
      ...others,
      section(t('Who is responsible'), 'contact', `${part(why)}\n${who}`),
      `<footer>${escapeXml(foot)}</footer>`,
    ].join('\n'),
  };
}

function noPage() {
  const lead = t('No site with such a page has this domain here. Its operator may have switched it off.');
  return { status: 404, title: t('There is no such page'), body: `<p class="lead">${escapeXml(lead)}</p>` };
}
