// Finds the icon of a host: `/favicon.ico`, or else an icon that its front page names. All requests go through `process/outgoing/`.
import { getFromHost } from '../../process/outgoing/by-host.ts';
import type { Answer, Outcome, Outgoing } from '../../process/outgoing/client.ts';
import { readHtml } from '../../process/outgoing/html.ts';
import { ICON_PX } from '../../vocabulary/icons.ts';

/** Time limit for all requests to one host together. */
const MAX_MS = 12_000;
/** Most icons of a front page to try, the most suitable first. */
const MAX_NAMED = 2;
const HEAD_BYTES = 131_072;
const ACCEPT = 'image/png,image/x-icon,image/*;q=0.5';

/** Converts an image to an icon. Resolves to undefined if it is not an image. */
type Decode = (image: Buffer) => Promise<Buffer | undefined>;

/** Resolves to undefined if the host has no usable icon, or does not answer. Never rejects. */
export async function downloadIcon(outgoing: Outgoing, host: string, decode: Decode): Promise<Buffer | undefined> {
  const late = AbortSignal.timeout(MAX_MS);
  const iconIn = ({ answer }: Outcome) => (answer?.status === 200 && !answer.isCut ? decode(answer.body) : undefined);
  const usual = await iconIn(await getFromHost(outgoing, { host, path: '/favicon.ico', accept: ACCEPT }));
  if (usual || late.aborted) return usual;
  const { answer: page } = await getFromHost(outgoing, { host, path: '/', accept: 'text/html' });
  if (page?.status !== 200) return undefined;
  for (const address of namedIcons(page)) {
    if (late.aborted) return undefined;
    const icon = await iconIn(await outgoing.get(address, { accept: ACCEPT }));
    if (icon) return icon;
  }
  return undefined;
}

/** Returns the icons that a page names, the most suitable first. Vector images are left out, since they may contain scripts. */
export function namedIcons({ body, url }: Pick<Answer, 'body' | 'url'>): string[] {
  const found: { href: string; score: number }[] = [];
  readHtml(body.subarray(0, HEAD_BYTES).toString('utf8'), {
    onOpen: (name, { rel = '', href = '', type = '', sizes = '' }) => {
      const kind = /(?:^|\s)(icon|apple-touch-icon(?:-precomposed)?)(?:\s|$)/i.exec(rel)?.[1]?.toLowerCase();
      const address = URL.parse(href, url);
      if (name !== 'link' || kind === undefined || !address || /svg/i.test(type)) return;
      if (/\.svg$/i.test(address.pathname)) return;
      const named = Number(/^(\d{1,4})x/i.exec(sizes.trim())?.[1]);
      const side = Number.isNaN(named) ? (kind === 'icon' ? 16 : 180) : named;
      found.push({ href: address.href, score: distanceFrom(side) });
    },
  });
  return found
    .sort((a, b) => a.score - b.score)
    .slice(0, MAX_NAMED)
    .map(({ href }) => href);
}

/** Rates an image's size; 0 is best. A larger image only takes more time, a smaller one is blurred. */
export function distanceFrom(side: number): number {
  return side >= ICON_PX ? side - ICON_PX : (ICON_PX - side) * 16;
}
