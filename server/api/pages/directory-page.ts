// /share with DIRECTORY=on: the public dashboards of this server, by domain and without numbers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { readDomain } from '../../sites/domains/domain.ts';
import { listPublic } from '../../sites/sharing/public-links.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
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
  const none = after === '' ? 'No dashboard is public at the moment.' : 'No others are public at the moment.';
  sendPlainPage(
    { files, request, response },
    {
      title: 'Public dashboards',
      body: [
        '<p class="lead">Sites whose owners show their visits to everybody. They are counted with Footfall, without cookies.</p>',
        rows.length > 0 || next !== undefined ? `<section><ul>${rows.join('')}</ul></section>` : `<p>${none}</p>`,
        ...(next === undefined ? [] : [`<p><a href="/share?after=${escapeXml(next)}" rel="next">More</a></p>`]),
      ].join('\n'),
    },
  );
}
