// The procedures whose answers dashboards may follow over their socket. They are called as over HTTP: with the same checks of access and
// input, and the same limits of the viewer.
import { TRPCError } from '@trpc/server';
import { Refusal } from '../../errors.ts';
import { headersOf } from '../../live/connection.ts';
import type { Answers } from '../../live/following.ts';
import type { Json } from '../../live/answer-differences.ts';
import type { Viewer } from '../../sites/access.ts';
import { stats } from './stats.ts';
import type { FOLLOWED } from '../../vocabulary/questions/followed.ts';
import type { Services } from '../trpc.ts';

type Caller = ReturnType<typeof stats.createCaller>;

const ASK: Record<(typeof FOLLOWED)[number], (caller: Caller, input: never) => Promise<object>> = {
  'stats.summary': (caller, input) => caller.summary(input),
  'stats.timeseries': (caller, input) => caller.timeseries(input),
  'stats.breakdown': (caller, input) => caller.breakdown(input),
};
const isFollowed = (path: string): path is keyof typeof ASK => Object.hasOwn(ASK, path);

/** Input that names a segment: some segments belong to one person. A filter by segment has it as its dimension. */
const MAY_NAME_SEGMENT = /"(segment|versus)"/;

export function openFollowed(services: Services): Answers<Viewer> {
  return {
    audienceOf: (viewer, { path, input }, { inSteps }) => {
      if (!isFollowed(path)) return undefined;
      // Numbers of a site are the same for all its members.
      const isOfAll = viewer.kind === 'user' && !MAY_NAME_SEGMENT.test(JSON.stringify(input));
      return isOfAll ? `members${inSteps ? ' in steps' : ''}` : JSON.stringify(viewer);
    },
    ask: async ({ data, handshake, request }, { path, input }, signal) => {
      if (!isFollowed(path)) throw new Refusal('not_found', 'This cannot be followed.');
      const caller = stats.createCaller({
        ...services,
        headers: headersOf({ handshake }),
        setCookies: () => undefined,
        viewer: data.viewer,
        requester: services.requesterOf(request, signal),
      });
      try {
        return (await ASK[path](caller, input as never)) as Json;
      } catch (error) {
        throw error instanceof TRPCError ? (error.cause ?? error) : error;
      }
    },
  };
}
