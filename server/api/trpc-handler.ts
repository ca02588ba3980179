// The dashboard's procedures over HTTP: decides which requests reach tRPC, and who sends them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import { Refusal } from '../errors.ts';
import { habitsOfRequest, inHabits } from '../process/habits.ts';
import { leavingOf } from '../process/http/respond.ts';
import { MAX_PART_BYTES } from '../vocabulary/settings/imports.ts';
import { appRouter } from './dashboard/router.ts';
import { retryHeaders, type Services } from './trpc.ts';
import { readViewer } from './viewer.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** The largest input of a procedure is a list of filters, but for the parts of an import. */
const MAX_TRPC_BYTES = 64 * 1024;
const LARGER: ReadonlyMap<string, number> = new Map(
  ['imports.add', 'imports.openSealed', 'imports.addSealed', 'imports.finish'].map((name) => [name, MAX_PART_BYTES]),
);
/** A dashboard sends about 15 calls at the same time, and each costs a query. */
const MAX_TRPC_BATCH = 50;

/** `checkOrigin` throws for a request that may come from another site's page. */
export function openTrpc(services: Services, checkOrigin: (request: IncomingMessage) => void) {
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const { method = '' } = request;
    if (!['GET', 'HEAD', 'POST'].includes(method)) {
      response.setHeader('allow', 'GET, HEAD, POST');
      throw new Refusal('method_not_allowed', t('The method must be GET or POST.'));
    }
    if (method === 'POST') {
      checkOrigin(request);
      // tRPC would also accept forms and bytes, which no procedure needs.
      if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
        throw new Refusal('unsupported_media_type', t('The content type must be application/json.'));
    }
    response.setHeader('cache-control', 'no-store');
    const path = url.pathname.slice('/trpc/'.length);
    const cookies: string[] = [];
    const answer = () =>
      nodeHTTPRequestHandler({
        router: appRouter,
        req: request,
        res: response,
        path,
        maxBodySize: LARGER.get(path) ?? MAX_TRPC_BYTES,
        maxBatchSize: MAX_TRPC_BATCH,
        responseMeta: ({ errors }) => ({ headers: retryHeaders(errors) }),
        createContext: async () => ({
          ...services,
          headers: request.headers,
          setCookies: (more: string[]) => {
            cookies.push(...more);
            if (cookies.length > 0 && !response.headersSent) response.setHeader('set-cookie', cookies);
          },
          ...(await readCaller(services, { request, response })),
        }),
      });
    await inHabits(habitsOfRequest(request.headers['accept-language']), answer);
  };
}

async function readCaller(
  services: Services,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
) {
  const requester = services.requesterOf(request, leavingOf(response));
  return readViewer(services, request.headers, requester.addressHash).then(
    (viewer) => ({ viewer, requester }),
    (identifyError: unknown) => ({ viewer: undefined, requester, identifyError }),
  );
}
