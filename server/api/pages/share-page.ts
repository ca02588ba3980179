// /share/TOKEN, and /share/DOMAIN for a public one: the dashboard's page, with the tags from which chats and social networks make a preview. /share/TOKEN/preview.png: its picture.
// Other pictures: pictures.ts. Pieces for frames: piece-page.ts. /share/DOMAIN/privacy: transparency-page.ts. /share: directory-page.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { habitsOfAddress, inHabits, languageAttributes } from '../../process/habits.ts';
import { readLocale } from '../../vocabulary/habits/habits.ts';
import { drawPreview, type Figures, HEIGHT, WIDTH } from '../../sites/previews/drawing.ts';
import { habitsOfPicture } from '../../sites/previews/habits.ts';
import { type SiteAccess, siteFor, type Viewer } from '../../sites/access.ts';
import { isDraftToken } from '../../sites/sharing/drafts.ts';
import type { SharedLink } from '../../sites/sharing/share.ts';
import type { Site } from '../../sites/sites.ts';
import { summaryQuestion, timeseriesQuestion } from '../../stats/query.ts';
import type { Stats } from '../../stats/run.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { lookingAt, type Services, statsFor } from '../trpc.ts';
import { openedLink } from '../viewer.ts';
import { readPicture, sendPicture } from './pictures.ts';
import { framersOf, readPiece, sendPiece, sendPieceRefusal } from './piece-page.ts';
import { publicDashboards } from '../../sites/sharing/public-links.ts';
import { DIRECTORY_PATH, sendDirectory } from './directory-page.ts';
import { readTransparency, sendTransparency } from './transparency-page.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

type Options = { services: Services; files: StaticFiles; originOf(request: IncomingMessage): string };
export type Shared = { access: SiteAccess; viewer: Extract<Viewer, { kind: 'share' }>; link: SharedLink };

export const OEMBED_PATH = '/oembed';
const UNKNOWN = message('There is no such shared dashboard.');
const PICTURE = /^\/share\/([^/]+)\/preview\.png$/;
/** Pages below these paths belong to the dashboard of the link. */
export const PAGE = /^\/share\/([^/]+)(?:\/live)?\/?$/;

export function openSharePage({ services, files, originOf }: Options) {
  /** Whatever is wrong is said where the piece would have been. */
  async function answerPiece(token: string, url: URL, { request, response }: Exchange): Promise<void> {
    checkIsRead(request, response);
    let framedBy: readonly string[] = ['*']; // that there is no such link tells nothing
    try {
      const shared = await findShared(services, token, request);
      framedBy = framersOf(shared.viewer);
      const wanted = readPiece(url);
      if ('page' in wanted) {
        response.writeHead(302, { location: `/share/${token}${wanted.page}`, 'cache-control': 'no-store' }).end();
        return;
      }
      await sendPiece({ services, files }, shared, { ...wanted, token, request, response });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendPieceRefusal(error, { framedBy, request, response });
    }
  }

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    if (DIRECTORY_PATH.test(url.pathname) && publicDashboards(services.config) === 'listed')
      return sendDirectory({ services, files }, { request, response, url });
    const transparency = readTransparency(url);
    if (transparency)
      return sendTransparency({ services, files }, transparency, { request, response, origin: originOf(request) });
    const token = PICTURE.exec(url.pathname)?.[1];
    if (token !== undefined) return sendPreview(services, { token, lang: langOf(url) }, { request, response });
    const picture = readPicture(url);
    if (picture) {
      checkIsRead(request, response);
      const shared = await findShared(services, picture.token, request);
      return sendPicture(services, shared, { wanted: picture.wanted, request, response });
    }
    const ofPage = PAGE.exec(url.pathname)?.[1];
    const lang = langOf(url);
    const habits = habitsOfAddress(lang);
    if (ofPage !== undefined && url.searchParams.has('piece'))
      return inHabits(habits, () => answerPiece(ofPage, url, { request, response }));
    if (ofPage !== undefined && isDraftToken(ofPage))
      return files.page(request, response, { head: '', framedBy: ["'self'"] });
    // Without tags, the page itself says that the link is not valid, or asks for its password.
    const shared = ofPage === undefined ? undefined : await findShared(services, ofPage, request).catch(ignoreRefusal);
    if (!shared) return files.app(request, response);
    const { access, viewer, link } = shared;
    const address = `${originOf(request)}/share/${ofPage}`;
    // Not what is narrowed, and no other spelling of the domain: robots would find the same page again and again.
    const isIndexed = link.public?.indexed === true && url.pathname + url.search === `/share/${access.site.domain}`;
    const options = { hasPicture: hasPicture(link), isIndexed, lang };
    const tags = () => tagsOf(access.site, address, options);
    files.page(request, response, {
      head: link.password_hash === undefined ? inHabits(habits, tags) : '',
      isIndexed,
      framedBy: viewer.shows.embedded_on,
      theme: link.looks.theme,
      attributes: languageAttributes(habits.language),
    });
  };
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/** Returns the site of a link. Throws not_found if there is none, and forbidden if it shows nothing now. */
export async function findShared(services: Services, token: string, request: IncomingMessage): Promise<Shared> {
  const opened = await openedLink(services, { token, headers: request.headers });
  if (!opened) {
    await services.wrongTokens.count('share_token', { token, addressHash: () => services.addressHashOf(request) });
    throw new Refusal('not_found', say(UNKNOWN));
  }
  if (opened.refusal) throw opened.refusal;
  const { link } = opened;
  const { linkId, siteId, shows, rules } = link;
  const viewer = { kind: 'share', linkId, siteId, shows, rules } as const;
  const options = { now: services.now(), billing: billingOf(services.config) };
  const access = await siteFor(services.directory, viewer, { siteId }, 'read', options);
  return { access, viewer, link };
}

/** The picture shows 30 days to programs that know no password. */
const hasPicture = ({ rules, password_hash }: SharedLink): boolean =>
  rules.period === null && password_hash === undefined;

type Tagged = { hasPicture: boolean; isIndexed: boolean; lang: string | undefined };

/** `?lang=de` is de-DE. */
export const langOf = (url: URL): string | undefined => readLocale(url.searchParams.get('lang') ?? '');

function tagsOf({ domain }: Site, address: string, { hasPicture, isIndexed, lang }: Tagged): string {
  const description = t('Live web analytics of {domain}, counted without cookies', { domain });
  const asked = lang === undefined ? '' : `?lang=${lang}`;
  const tags: Record<string, string> = {
    'og:type': 'website',
    'og:site_name': 'Footfall',
    'og:title': domain,
    'og:description': description,
    'og:url': address,
    ...(hasPicture && {
      'og:image': `${address}/preview.png${asked}`,
      'og:image:width': String(WIDTH),
      'og:image:height': String(HEIGHT),
      'og:image:alt': t('Visitors of {domain} in the last 30 days', { domain }),
    }),
  };
  const lines = Object.entries(tags).map(
    ([name, value]) => `<meta property="${name}" content="${escapeXml(value)}" />`,
  );
  const embed = `<link rel="alternate" type="application/json+oembed" title="${escapeXml(domain)}" href="${escapeXml(embedAddress(address + asked))}" />`;
  const found = [
    `<link rel="canonical" href="${escapeXml(address)}" />`,
    `<meta name="description" content="${escapeXml(description)}" />`,
  ];
  const card = '<meta name="twitter:card" content="summary_large_image" />';
  return [...lines, card, embed, ...(isIndexed ? found : [])].join('\n    ');
}

/** The address at which editors ask what a pasted one becomes: see oembed.ts. */
const embedAddress = (address: string): string =>
  `${new URL(address).origin}${OEMBED_PATH}?${new URLSearchParams({ url: address, format: 'json' })}`;

type Exchange = { request: IncomingMessage; response: ServerResponse };

type Preview = { token: string; lang: string | undefined };

async function sendPreview(
  services: Services,
  { token, lang }: Preview,
  { request, response }: Exchange,
): Promise<void> {
  checkIsRead(request, response);
  const shared = await findShared(services, token, request);
  const { access, viewer, link } = shared;
  const { site } = access;
  if (!hasPicture(link)) throw new Refusal('forbidden', t('This link has no picture.'));
  const { credit, fewest } = viewer.shows;
  const key = JSON.stringify([site.id, site.domain, site.timezone, credit, fewest, viewer.rules, lang]);
  const { bytes } = await services.previews.find({ key, format: 'png', keptMs: HOUR_MS }, async () => {
    await services.takePreview(await services.addressHashOf(request));
    const stats = await statsFor(
      { ...services, requester: services.requesterOf(request) },
      viewer,
      lookingAt(viewer, access),
    );
    const figures = await askFigures(stats, { site, hasCredit: credit, now: services.now() });
    return inHabits(habitsOfPicture(lang, 'png'), () => drawPreview(figures));
  });
  response.writeHead(200, {
    'content-type': 'image/png',
    'content-length': bytes.length,
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=3600',
    'x-robots-tag': 'noindex',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

type Picture = { site: Site; hasCredit: boolean; now: number };

async function askFigures(stats: Stats, { site, hasCredit, now }: Picture): Promise<Figures> {
  const asked = { site_id: site.id, period: '30d', compare: 'previous' };
  const [{ metrics, compare }, { points }] = await Promise.all([
    stats.summary(summaryQuestion.parse(asked), site, now),
    stats.timeseries(timeseriesQuestion.parse({ ...asked, metric: 'unique_visitors' }), site, now),
  ]);
  const figure = (wanted: string) => metrics.find(({ name }) => name === wanted);
  return {
    domain: site.domain,
    visitors: figure('unique_visitors')?.value ?? 0,
    // if counting began during the previous period, the comparison would be misleading
    previous: compare?.counted_since === null ? (figure('unique_visitors')?.previous ?? null) : null,
    pageviews: figure('pageviews')?.value ?? 0,
    points: points.map(({ value }) => value ?? 0),
    hasCredit,
  };
}
