// `footfall/next`: the script element in the layout of the app router, and a route that passes the script and its events on.
import { createElement, type ReactElement } from 'react';
import { attributesOf } from '../attributes.ts';
import type { PageSettings } from '../module.ts';
import { passOn } from './pass-on.ts';

export { useFootfall } from './use.ts';

/** `nonce`: of the page's content security policy. */
type Settings = PageSettings & { nonce?: string | undefined };

/**
 * Put it once into the body of the root layout: React moves it into the head. It is part of the page that the server sends, so it needs no
 * code of its own in the browser, and no hydration. The script itself counts navigations of the router.
 */
export function Footfall({ nonce, ...settings }: Settings): ReactElement {
  return createElement('script', { async: true, ...attributesOf(settings), src: settings.source, nonce });
}

type Handler = (request: Request) => Promise<Response>;

/**
 * The script from a path of the site: `export const { GET, POST } = footfallRoute('https://stats.example.com')` in
 * `app/walk/[file]/route.ts` serves `/walk/foot.js`, `/walk/foot` and `/walk/foot.gif`. `server`: address of Footfall, whose `TRUST_PROXY`
 * must list the addresses from which Next.js connects. Rewrites of next.config would pass on cookies, and count all visitors as one.
 */
export function footfallRoute(server: string): { GET: Handler; POST: Handler } {
  const handler: Handler = (request) => passOn(request, server);
  return { GET: handler, POST: handler };
}
