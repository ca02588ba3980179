// The tRPC client. With a share link's token it can read that link's site only.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import {
  createTRPCClient,
  httpBatchStreamLink,
  httpLink,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import { parse, stringify } from 'devalue';
import type { AppRouter } from '../../../server/api/dashboard/router.ts';
import { currentHabits } from '../../../server/vocabulary/habits/habits.ts';
import { following } from './page-queries.ts';

const transformer = {
  serialize: (value: unknown): string => stringify(value),
  deserialize: (text: string): unknown => parse(text),
};

/** Questions that are asked again may be answered by the socket, which then pushes what changes. */
const fromSocket: TRPCLink<AppRouter> = () => (asked) => following.answer?.(asked) ?? asked.next(asked.op);

export type Api = ReturnType<typeof connectApi>;

/** The account that the page shows. The server refuses to change another one, which another tab may have chosen since. */
const shown: { 'x-footfall-account'?: string } = {};
export const showAccount = (id: string) => (shown['x-footfall-account'] = id);

export function connectApi(shareToken?: string) {
  const headers = shareToken ? { 'x-share-token': shareToken } : shown;
  // What the server refuses, it says in the language of the page.
  const options = {
    url: '/trpc',
    transformer,
    headers: () => ({ ...headers, 'accept-language': currentHabits().language }),
  };
  return createTRPCClient<AppRouter>({
    links: [
      fromSocket,
      splitLink({
        condition: (operation) => operation.type === 'mutation',
        // Not streamed in a batch: a mutation may set a cookie, which is impossible once the response has started.
        true: httpLink(options),
        // All panels share one request, and each renders as soon as its own answer arrives. 6,000 is well below Node's 16 KiB header limit.
        false: httpBatchStreamLink({ ...options, maxURLLength: 6000 }),
      }),
    ],
  });
}

export const api = connectApi();

/** True if no answer came at all, as opposed to an error. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof TRPCClientError && error.data?.httpStatus === undefined);

export const unreachable = (): string => t('The server cannot be reached. Check the connection and try again.');

/** A sentence for the user about any error. */
export function problem(error: unknown): string {
  if (isUnreachable(error)) return unreachable();
  if (error instanceof TRPCClientError)
    return error.data?.httpStatus === 500
      ? t('Something went wrong on the server. The error has been logged.')
      : error.message;
  return error instanceof Error ? error.message : String(error);
}

export const isRefused = (error: unknown): boolean =>
  error instanceof TRPCClientError && error.data?.httpStatus === 400;

let isLeaving = false;

/** Does work that ends the session: questions that are refused meanwhile are no news. */
export async function leaving(work: () => Promise<void>): Promise<void> {
  isLeaving = true;
  try {
    await work();
  } finally {
    isLeaving = false;
  }
}

/** Whether the session has ended elsewhere. */
export const isSignedOut = (error: unknown): boolean =>
  !isLeaving && error instanceof TRPCClientError && error.data?.httpStatus === 401;
