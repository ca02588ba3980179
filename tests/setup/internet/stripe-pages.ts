// The pages of the local Stripe server that people see: Checkout, the customer portal and an invoice.
import type { IncomingMessage, ServerResponse } from 'node:http';

type Checkout = { sessions: ReadonlyMap<string, Record<string, unknown>>; complete(sessionId: string): string };

export function stripePages(
  request: IncomingMessage,
  response: ServerResponse,
  { sessions, complete }: Checkout,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const sessionId = /^\/c\/pay\/(\w+)$/.exec(pathname)?.[1];
  const session = sessions.get(sessionId ?? '');
  if (sessionId !== undefined && session?.['status'] === 'open') {
    if (request.method === 'POST') response.writeHead(303, { location: complete(sessionId) }).end();
    else
      send(
        response,
        `<h1>Checkout</h1><a href="${String(session['cancel_url'])}">Back</a><form method="post"><button>Pay</button></form>`,
      );
  } else if (pathname === '/p') send(response, `<h1>Portal</h1><a href="${searchParams.get('back') ?? ''}">Return</a>`);
  else send(response, '<h1>This page is no longer open</h1>');
}

function send(response: ServerResponse, html: string): void {
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Stripe</title>${html}`);
}
