// /icons/HOST/SIGNATURE.png: the icons of sources and sites. The dashboard gets these addresses from its procedures.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import type { Found } from '../../integrations/icons/favicons.ts';
import type { AiOverTime } from '../../stats/answers/ai.ts';
import type { Breakdown } from '../../stats/answers/breakdown.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import type { Services } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Transparent images, 1 and 2 pixels wide: see `vocabulary/icons.ts`. */
const NONE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQMAAAAl21bKAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAApJREFUeJxjYAAAAAIAAUivpHEAAAAASUVORK5CYII=',
  'base64',
);
const PENDING = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABAQMAAADO7O3JAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAApJREFUeJxjYAAAAAIAAUivpHEAAAAASUVORK5CYII=',
  'base64',
);

/** The image does not depend on the reader, so any cache may keep it. */
const HEADERS = {
  'content-type': 'image/png',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
} as const;

export function openIcons({ favicons, takeIcon, addressHashOf }: Services) {
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const host = favicons.hostOf(url.pathname);
    if (host === undefined) throw new Refusal('not_found', t('There is nothing at this address.'));
    checkIsRead(request, response);
    const found = await favicons.find(host, async () => takeIcon(await addressHashOf(request)));
    const { image, cacheControl } = answerTo(found);
    response.writeHead(200, { ...HEADERS, 'content-length': image.length, 'cache-control': cacheControl });
    response.end(request.method === 'HEAD' ? undefined : image);
  };
}

function answerTo(found: Found): { image: Buffer; cacheControl: string } {
  if (found === 'pending') return { image: PENDING, cacheControl: 'no-store' };
  if (found === undefined) return { image: NONE, cacheControl: 'public, max-age=3600' };
  return { image: found, cacheControl: 'public, max-age=604800' };
}

type Icons = Pick<Services, 'favicons' | 'now'>;

/** Returns the same rows, each with the address of its icon if it has one. */
export function withIcons({ favicons }: Icons, dimension: Dimension, breakdown: Breakdown) {
  const rows = breakdown.rows.map((row) => ({ ...row, icon: favicons.ofRow(dimension, row.name) }));
  return { ...breakdown, rows };
}

/** The same for the providers of AI visits. */
export function withProviderIcons({ favicons }: Icons, answer: AiOverTime) {
  const by_provider = answer.by_provider.map((row) => ({ ...row, icon: favicons.ofRow('ai_provider', row.provider) }));
  return { ...answer, by_provider };
}
