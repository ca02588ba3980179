// /share/TOKEN?piece=chart: one piece of a shared dashboard for the pages of others. It arrives drawn, so that it shows before any script runs and
// moves nothing when it does; src/embed/piece.ts keeps it up to date.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { languageAttributes } from '../../process/habits.ts';
import { ancestorsOf, REPORTS_PATH } from '../../process/http/content-policy.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import type { DrawnPiece } from '../../sites/previews/pieces/drawings.ts';
import { messagesOfPiece } from '../../sites/previews/pieces/messages.ts';
import { PIECE_STYLE } from '../../sites/previews/pieces/style.ts';
import { noteUse } from '../../sites/sharing/uses.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import {
  type AskedPiece,
  isPiece,
  PIECE_NAMES,
  piecePath,
  pieceRow,
  type PieceTheme,
} from '../../vocabulary/settings/pieces.ts';
import { readParams } from '../rest/params.ts';
import { drawPiece, pieceParameters } from '../sharing/pieces.ts';
import { lookingAt, type Services, statsFor } from '../trpc.ts';
import type { Shared } from './share-page.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** A drawing is good for this long: its script asks for what has changed since. */
const KEPT_MS = 10_000;
const STYLE_HASH = createHash('sha256').update(PIECE_STYLE).digest('base64');

type Wanted = { asked: AskedPiece; theme: PieceTheme };

/** What an address asks for: a piece, or a page of the dashboard with its address. Throws a refusal that says what is allowed. */
export function readPiece(url: URL): Wanted | { page: string } {
  const name = url.searchParams.get('piece') ?? '';
  if (!isPiece(name))
    throw new Refusal('bad_request', t('piece: must be one of {value}.', { value: PIECE_NAMES.join(', ') }));
  const { theme, ...asked } = readParams(url, pieceParameters(name)) as AskedPiece & { theme: PieceTheme };
  const { lang } = asked;
  const { page } = pieceRow(name);
  return page === undefined
    ? { asked: { ...asked, piece: name }, theme }
    : { page: piecePath({ piece: name, lang }, theme) };
}

type Exchange = { request: IncomingMessage; response: ServerResponse; token: string };

/** Within the habits that its address asks for. */
export async function sendPiece(
  { services, files }: { services: Services; files: StaticFiles },
  { access, viewer, link }: Shared,
  { asked, theme, request, response, token }: Exchange & Wanted,
): Promise<void> {
  const { site } = access;
  // Everything that decides what the link shows is part of the key.
  const key = JSON.stringify([viewer, site.domain, site.timezone, ...Object.entries(asked)]);
  const { bytes } = await services.previews.find({ key, format: 'html', keptMs: KEPT_MS }, async () => {
    await services.takePicture(await services.addressHashOf(request));
    const asking = { ...services, requester: services.requesterOf(request) };
    const stats = await statsFor(asking, viewer, lookingAt(viewer, access));
    return JSON.stringify(await drawPiece({ ...services, viewer, access, stats }, asked));
  });
  await noteUse(services.directory, link, services.now());
  const drawn = JSON.parse(bytes.toString('utf8')) as DrawnPiece;
  const question = { site_id: site.id, ...asked };
  const html = documentOf(drawn, {
    theme: link.looks.theme ?? theme,
    script: files.piece,
    data: { token, question: JSON.stringify(question), version: files.version ?? '', ...messagesOfPiece() },
    foot: footOf({ domain: site.domain, token, hasCredit: viewer.shows.credit }),
  });
  send(html, { status: 200, framedBy: framersOf(viewer), request, response });
}

/** The dashboard, too, which shows it while it is put together. */
export const framersOf = ({ shows }: Shared['viewer']): readonly string[] =>
  shows.embedded_on.length > 0 ? ["'self'", ...shows.embedded_on] : [];

/** Says why there is no piece, where it would have been. `framedBy`: every page, unless the link is known. */
export function sendPieceRefusal(
  refusal: Refusal,
  { framedBy, request, response }: Omit<Exchange, 'token'> & { framedBy: readonly string[] },
): void {
  const words = { title: t('No numbers'), head: '', body: `<p class="empty">${escapeXml(refusal.message)}</p>` };
  const html = documentOf(words, { theme: 'auto', script: undefined, data: {}, foot: '' });
  send(html, { status: refusal.status, framedBy, request, response });
}

type Sending = Omit<Exchange, 'token'> & { status: number; framedBy: readonly string[] };

function send(html: string, { status, framedBy, request, response }: Sending): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ancestorsOf(framedBy),
    "require-trusted-types-for 'script'",
    'trusted-types footfall-piece',
    `report-uri ${REPORTS_PATH}`,
  ];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-robots-tag': 'noindex',
  });
  response.end(request.method === 'HEAD' ? undefined : html);
}

function footOf({ domain, token, hasCredit }: { domain: string; token: string; hasCredit: boolean }): string {
  const link = `<a href="/share/${encodeURIComponent(token)}" target="_blank" rel="noopener">${escapeXml(domain)}</a>`;
  return `<footer>${link}${hasCredit ? `<a href="/" target="_blank" rel="noopener">${escapeXml(t('Counted by Footfall'))}</a>` : ''}</footer>`;
}

type Page = { theme: PieceTheme; script: string | undefined; data: Record<string, string>; foot: string };

function documentOf({ title, head, body, more = [] }: DrawnPiece, { theme, script, data, foot }: Page): string {
  const facts = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeXml(value)}"`);
  return `<!doctype html>
<html ${languageAttributes()}${theme === 'auto' ? '' : ` data-theme="${theme}" data-fixed`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(title)}</title>
<style>${PIECE_STYLE}</style>
${script === undefined ? '' : `<script type="module" src="${script}"></script>`}
</head>
<body>
<main aria-label="${escapeXml(title)}"${facts.join('')}>
<header id="head">${head}</header>
<div id="body">${body}</div>
${more.length > 0 ? `<div id="more">${more.join('')}</div>` : ''}
${foot}
</main>
</body>
</html>
`;
}
