// /oembed: what the address of a share link becomes in an editor that knows oEmbed (oembed.com): the dashboard in a frame if the link allows
// that, and a picture of its chart otherwise.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { habitsOfAddress, inHabits } from '../../process/habits.ts';
import { checkIsRead, sendJson } from '../../process/http/respond.ts';
import { PICTURES, picturePath, USUAL_PICTURE } from '../../vocabulary/settings/pictures.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { heightOfPiece, piecePath } from '../../vocabulary/settings/pieces.ts';
import { readParams } from '../rest/params.ts';
import type { Services } from '../trpc.ts';
import { readPiece } from './piece-page.ts';
import { findShared, langOf, PAGE } from './share-page.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type Options = { services: Services; originOf(request: IncomingMessage): string };

const SIZE = 'must be a whole number of pixels, at least 1';
const size = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, SIZE)
  .transform(Number)
  .optional();
const parameters = z.object({
  url: z.string({ error: 'must be the address of a shared dashboard' }).max(MAX_ADDRESS),
  maxwidth: size,
  maxheight: size,
  format: z.literal('json', { error: 'must be json' }).default('json'),
});

/** Pixels of a frame, unless the editor allows fewer. */
const WIDTHS = { dashboard: 1200, piece: 600 };

/** What of a link an address shows: `path` comes after that of the link. */
function frameOf(address: URL, lang: string | undefined): { path: string; width: number; height: number } {
  const wanted = address.searchParams.has('piece') ? readPiece(address) : undefined;
  if (!wanted || 'page' in wanted) {
    const piece = { piece: 'dashboard', lang } as const;
    return { path: piecePath(piece), width: WIDTHS.dashboard, height: heightOfPiece(piece) };
  }
  const { asked, theme } = wanted;
  return { path: piecePath(asked, theme), width: WIDTHS.piece, height: heightOfPiece(asked) };
}

export function openOembed({ services, originOf }: Options) {
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    checkIsRead(request, response);
    const { url: address, maxwidth = Infinity, maxheight = Infinity } = readParams(url, parameters);
    const origin = originOf(request);
    const asked = URL.parse(address);
    const token = asked?.origin === origin ? PAGE.exec(asked.pathname)?.[1] : undefined;
    if (!asked || token === undefined)
      throw new Refusal(
        'not_found',
        t('url: must be the address of a dashboard that is shared at {origin}.', { origin }),
      );
    const { access, viewer } = await findShared(services, token, request);
    const page = `${origin}/share/${token}`;
    const { domain } = access.site;
    const lang = langOf(asked);
    const common = {
      version: '1.0',
      title: inHabits(habitsOfAddress(lang), () => t('Visitors of {domain}', { domain })),
      provider_name: 'Footfall',
      provider_url: origin,
      cache_age: 3600,
    };
    if (viewer.shows.embedded_on.length > 0) {
      const { path, ...size } = frameOf(asked, lang);
      const [width, height] = [Math.min(size.width, maxwidth), Math.min(size.height, maxheight)];
      const html = `<iframe src="${escapeXml(`${page}${path}`)}" title="${escapeXml(common.title)}" width="${width}" height="${height}" loading="lazy" style="border: 0"></iframe>`;
      sendJson(response, 200, { type: 'rich', ...common, width, height, html });
      return;
    }
    const { width, height } = PICTURES.chart;
    const shrunk = Math.min(1, maxwidth / width, maxheight / height);
    const picture = picturePath({ picture: 'chart', format: 'png', ...USUAL_PICTURE, theme: 'light', lang });
    sendJson(response, 200, {
      type: 'photo',
      ...common,
      width: Math.max(1, Math.floor(width * shrunk)),
      height: Math.max(1, Math.floor(height * shrunk)),
      url: `${page}/${picture}`,
    });
  };
}
