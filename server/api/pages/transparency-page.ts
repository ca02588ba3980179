// /share/DOMAIN/privacy: what a site counts, for its visitors. One page of HTML without scripts, which prints well. A site without one gets the same
// answer as a domain that nobody has.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { leftOutIn } from '../../sites/left-out.ts';
import { settingsIn } from '../../sites/settings.ts';
import { listShareLinks } from '../../sites/sharing/share.ts';
import { type Site, siteByDomain } from '../../sites/sites.ts';
import { customColours } from '../../sites/previews/colours.ts';
import { date } from '../../vocabulary/numbers/format.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { UTC, wallTime } from '../../vocabulary/time/zones.ts';
import type { Services } from '../trpc.ts';
import { type Facts, type Section, wordsOf } from './transparency-words.ts';

const PATH = /^\/share\/([^/]+)\/privacy\/?$/;

/** The domain of a page's address; undefined for other addresses. */
export const transparentDomain = ({ pathname }: URL): string | undefined => PATH.exec(pathname)?.[1];

type Exchange = { request: IncomingMessage; response: ServerResponse; origin: string };

export async function sendTransparency(
  { services, files }: { services: Services; files: StaticFiles },
  domain: string,
  { request, response, origin }: Exchange,
): Promise<void> {
  checkIsRead(request, response);
  const site = await siteByDomain(services.directory, domain);
  const isShown = site && site.lost_at === null && settingsIn(site.settings).transparency.shown;
  const style = styleOf(files.font);
  const html = isShown
    ? pageOf(await factsOf(services, site, origin), { style, now: wallTime(services.now(), site.timezone ?? UTC) })
    : NONE(style);
  response.writeHead(isShown ? 200 : 404, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  });
  response.end(request.method === 'HEAD' ? undefined : html);
}

async function factsOf({ directory }: Services, site: Site, origin: string): Promise<Facts> {
  const [links, log] = await Promise.all([
    listShareLinks(directory, site.id),
    directory.db
      .selectFrom('imports')
      .select('id')
      .where('site_id', '=', site.id)
      .where('format', '=', 'access-log')
      .limit(1)
      .executeTakeFirst(),
  ]);
  return {
    site: { ...site, domain: domainToUnicode(site.domain), extra_hosts: site.extra_hosts.map(domainToUnicode) },
    settings: settingsIn(site.settings),
    networks: leftOutIn(site.settings)?.networks.length ?? 0,
    links: { all: links.length, exact: links.filter(({ shows }) => shows.fewest === 1).length },
    hasLogs: log !== undefined,
    host: new URL(origin).host,
  };
}

/** Escapes a text, and then marks it up. Only addresses with https become links, so none leads to a script. */
const marked = (words: string): string =>
  escapeXml(words)
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\bhttps:\/\/\S+/g, '<a href="$&">$&</a>');

const part = (words: string | string[]): string =>
  typeof words === 'string'
    ? `<p>${marked(words)}</p>`
    : `<ul>${words.map((item) => `<li>${marked(item)}</li>`).join('')}</ul>`;

const section = (title: string, id: string, inner: string): string =>
  `<section id="${id}"><h2>${escapeXml(title)}</h2>\n${inner}\n</section>`;

/** A line that is an e-mail address or the address of a page becomes a link. */
function contactLine(line: string): string {
  const text = escapeXml(line);
  if (/^[^\s@<>"]+@[^\s@<>".]+(?:\.[^\s@<>".]+)+$/.test(line))
    return `<a href="mailto:${escapeXml(encodeURI(line))}">${text}</a>`;
  return /^https?:\/\/\S+$/.test(line) && URL.canParse(line) ? `<a href="${text}" rel="nofollow">${text}</a>` : text;
}

function pageOf(facts: Facts, { style, now }: { style: string; now: number }): string {
  const { lead, sections, kept } = wordsOf(facts);
  const { domain } = facts.site;
  const { contact } = facts.settings.transparency;
  const drawn = ({ title, id, parts }: Section) => section(title, id, parts.map(part).join('\n'));
  const rows = kept.map(
    ([what, long]) => `<tr><th scope="row">${escapeXml(what)}</th><td>${escapeXml(long)}</td></tr>`,
  );
  const table = `<table><thead><tr><th scope="col">What</th><th scope="col">How long</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  const why = `The operator of ${domain} decides what is counted: for statistics about the use of the site. The legal basis is in the site’s privacy notice.`;
  const who = contact
    ? `<p>Questions go to:</p>\n<address>${contact.split(/\r?\n/).map(contactLine).join('<br>')}</address>`
    : '<p>How to reach them is in the imprint or the privacy notice.</p>';
  const [counted, told, ...others] = sections.map(drawn);
  return documentOf(
    { title: `How ${domain} counts visits`, style },
    [
      `<p class="lead">${escapeXml(lead)}</p>`,
      counted,
      told,
      section('What is kept, and for how long', 'kept', table),
      ...others,
      section('Who is responsible', 'contact', `${part(why)}\n${who}`),
      `<footer>As of ${date(now)}. This page has no scripts and sets no cookies.</footer>`,
    ].join('\n'),
  );
}

const NONE = (style: string): string =>
  documentOf(
    { title: 'There is no such page', style },
    '<p class="lead">No site with such a page has this domain here. Its operator may have switched it off.</p>',
  );

const documentOf = ({ title, style }: { title: string; style: string }, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
${body}
</main>
</body>
</html>
`;

const styleOf = (font: string | undefined): string => `
${font === undefined ? '' : `@font-face { font-family: Geist; font-weight: 100 900; font-display: swap; src: url(${font}) format('woff2'); }`}
:root { color-scheme: light dark; ${customColours('light')} }
@media (prefers-color-scheme: dark) { :root { ${customColours('dark')} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 400 16px/1.6 Geist, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 760px; margin: 0 auto; padding: 48px 20px 64px; }
h1 { margin: 0 0 16px; font-size: 32px; line-height: 1.2; font-weight: 600; letter-spacing: -0.025em; }
h2 { margin: 0 0 12px; font-size: 18px; font-weight: 600; letter-spacing: -0.01em; }
p { margin: 0 0 12px; }
.lead { margin-bottom: 28px; color: var(--soft); font-size: 17px; }
section { margin-bottom: 20px; padding: 20px 24px; border: 1px solid var(--edge); border-radius: 14px; background: var(--back); }
section > :last-child { margin-bottom: 0; }
ul { margin: 0 0 12px; padding-left: 20px; }
li { margin-bottom: 6px; }
li:last-child { margin-bottom: 0; }
strong { font-weight: 600; }
a { color: var(--line); }
address { font-style: normal; }
code { padding: 1px 5px; border-radius: 5px; background: var(--n0); font: 0.9em ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 10px 0; border-top: 1px solid var(--edge); text-align: left; vertical-align: top; font-weight: 400; }
th { width: 45%; padding-right: 16px; }
thead th { padding-top: 0; border: 0; color: var(--soft); font-size: 14px; }
td { color: var(--soft); }
footer { margin-top: 28px; color: var(--soft); font-size: 14px; }
@media (max-width: 560px) {
  main { padding: 28px 12px 48px; }
  h1 { font-size: 26px; }
  section { padding: 16px; }
  thead { display: none; }
  tr { display: block; padding: 10px 0; border-top: 1px solid var(--edge); }
  tr:first-child { padding-top: 0; border: 0; }
  th, td { display: block; width: auto; padding: 0; border: 0; }
  th { font-weight: 600; }
}
@media print {
  :root { ${customColours('light')}; --page: #fff; }
  main { max-width: none; padding: 0; }
  section { padding: 0; border: 0; break-inside: avoid; }
}
`;
