// The one client of the server's procedures; with a share link's token it reads that link's site alone.
import { createTRPCClient, httpBatchStreamLink, httpLink, splitLink, TRPCClientError } from '@trpc/client';
import { parse, stringify } from 'devalue';
import type { AppRouter } from '../../server/api/router.ts';

const transformer = {
  serialize: (value: unknown): string => stringify(value),
  deserialize: (text: string): unknown => parse(text),
};

export type Api = ReturnType<typeof connectApi>;

export function connectApi(shareToken?: string) {
  const options = { url: '/trpc', transformer, headers: shareToken ? { 'x-share-token': shareToken } : {} };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'mutation',
        // Not batched into a stream: a mutation may set a cookie, which a response that has begun no longer can.
        true: httpLink(options),
        // All panels ask at once and share a request; each is drawn when its own answer is there. 6,000: well below the 16 KiB of headers that Node takes.
        false: httpBatchStreamLink({ ...options, maxURLLength: 6000 }),
      }),
    ],
  });
}

export const api = connectApi();

/** Whether no answer came at all, rather than a bad one. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof TRPCClientError && error.data?.httpStatus === undefined);

/** A sentence for the reader, whatever went wrong. */
export function problem(error: unknown): string {
  if (isUnreachable(error)) return 'The server cannot be reached. Check the connection and try again.';
  if (error instanceof TRPCClientError)
    return error.data?.httpStatus === 500
      ? 'Something went wrong on the server. The error has been logged.'
      : error.message;
  return error instanceof Error ? error.message : String(error);
}

export const isRefused = (error: unknown): boolean =>
  error instanceof TRPCClientError && error.data?.httpStatus === 400;

export const isSignedOut = (error: unknown): boolean =>
  error instanceof TRPCClientError && error.data?.httpStatus === 401;
