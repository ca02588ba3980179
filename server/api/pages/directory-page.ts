// /share with DIRECTORY=on: the public dashboards of this server, by domain and without numbers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import { habitsOfVisitor, inHabits } from '../../process/habits.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { readDomain } from '../../sites/domains/domain.ts';
import { listPublic } from '../../sites/sharing/public-links.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import type { Services } from '../trpc.ts';
import { sendPlainPage } from './plain-page.ts';

export const DIRECTORY_PATH = /^\/share\/?$/;

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL };

/** `?after=DOMAIN`: the next page of a long list. */
export async function sendDirectory(
  { services, files }: { services: Services; files: StaticFiles },
  { request, response, url }: Exchange,
): Promise<void> {
  checkIsRead(request, response);
  const after = readDomain(url.searchParams.get('after') ?? '') ?? '';
  const { domains, next } = await listPublic(services, { after, now: services.now() });
  const rows = domains.map((domain) => {
    const name = escapeXml(domainToUnicode(domain));
    return `<li><a href="/share/${escapeXml(domain)}">${name}</a></li>`;
  });
  const lang = url.searchParams.get('lang');
  const more = next === undefined ? undefined : `/share?${new URLSearchParams({ after: next, ...(lang && { lang }) })}`;
  inHabits(habitsOfVisitor(lang, request.headers['accept-language']), () =>
    sendPlainPage({ files, request, response }, pageOf(rows, { isFirst: after === '', more })),
  );
}

/** `more`: the address of the next page. */
function pageOf(rows: readonly string[], { isFirst, more }: { isFirst: boolean; more: string | undefined }) {
  const lead = t('Sites whose owners show their visits to everybody. They are counted with Footfall, without cookies.');
  const none = isFirst ? t('No dashboard is public at the moment.') : t('No others are public at the moment.');
  const isEmpty = rows.length === 0 && more === undefined;
  return {
    title: t('Public dashboards'),
    body: [
      `<p class="lead">${escapeXml(lead)}</p>`,
      isEmpty ? `<p>${escapeXml(none)}</p>` : `<section><ul>${rows.join('')}</ul></section>`,
      ...(more === undefined ? [] : [`<p><a href="${escapeXml(more)}" rel="next">${escapeXml(t('More'))}</a></p>`]),
    ].join('\n'),
  };
}
