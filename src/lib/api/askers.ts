// Where the queries of a page and its socket meet: the socket (live/followed.ts) may answer a question that is asked again, and says when the
// answer has changed.
import type { OperationLink } from '@trpc/client';
import type { AppRouter } from '../../../server/api/dashboard/router.ts';

export type Asker = {
  /** It shows an answer to the same question, which new events may have changed. */
  isAgain: boolean;
  /** Whether the socket can push the answers to its question; undefined until the question has been sent. */
  mayFollow?: boolean;
  /** The socket pushes them: it need not ask. */
  isFollowed: boolean;
  /** There is another answer, or the socket pushes none any more. */
  again(): void;
};

/** Those who ask, by the signal that is aborted when they show the answer no more. */
export const askers = new WeakMap<AbortSignal, Asker>();

export type Asked = Parameters<OperationLink<AppRouter>>[0];

export const following: {
  /** Answers from the socket, or over HTTP if it cannot. Undefined if the question must be asked over HTTP anyway. */
  answer?: ((asked: Asked) => ReturnType<OperationLink<AppRouter>> | undefined) | undefined;
  /** When the reader last changed something: answers from before are asked for again at once. */
  changedAt: number;
} = { changedAt: 0 };
