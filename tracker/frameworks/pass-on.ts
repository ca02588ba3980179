// A request for the script, its image or an event goes on to Footfall, as docs/proxy.md says what a proxy must do.

const FILES = ['foot', 'foot.js', 'foot.gif'];
/** Of the connection, or none of Footfall's business. Next.js names the site in `x-forwarded-host`; Footfall's host is another. */
const KEPT_BACK =
  'cookie authorization host connection keep-alive transfer-encoding content-length expect x-forwarded-host';
/** What describes the answer's bytes, which fetch has unpacked, or its connection. */
const NOT_RETURNED = [
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'set-cookie',
];
/** The script of the page sends again what was not accepted. */
const GIVE_UP_AFTER_MS = 5000;

/** `x-forwarded-for` stays as the framework has it: the visitor, or the proxy in front that names the visitor. */
export async function passOn(request: Request, server: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const file = pathname.slice(pathname.lastIndexOf('/') + 1);
  if (!FILES.includes(file)) return new Response(null, { status: 404 });
  const target = new URL(`/${file}${search}`, server);
  const headers = new Headers(request.headers);
  for (const name of KEPT_BACK.split(' ')) headers.delete(name);
  headers.set('x-forwarded-proto', target.protocol.slice(0, -1));
  const asked = { method: request.method, headers, body: request.body, redirect: 'manual', duplex: 'half' } as const;
  try {
    const answer = await fetch(target, { ...asked, signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) });
    const returned = new Headers(answer.headers);
    for (const name of NOT_RETURNED) returned.delete(name);
    return new Response(answer.body, { status: answer.status, headers: returned });
  } catch {
    return new Response(null, { status: 502 });
  }
}
