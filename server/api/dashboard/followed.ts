// The procedures whose answers dashboards may follow over their socket. They are called as over HTTP: with the same checks of access and
// input, and the same limits of the viewer.
import { TRPCError } from '@trpc/server';
import { Refusal } from '../../errors.ts';
import { headersOf } from '../../live/connection.ts';
import type { Answers } from '../../live/following.ts';
import type { Json } from '../../live/answer-differences.ts';
import type { Viewer } from '../../sites/access.ts';
import { shares } from '../sharing/procedures.ts';
import { stats } from './stats.ts';
import type { FOLLOWED } from '../../vocabulary/questions/followed.ts';
import type { Context, Services } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const ASK: Record<(typeof FOLLOWED)[number], (context: Context, input: never) => Promise<object>> = {
  'stats.summary': (context, input) => stats.createCaller(context).summary(input),
  'stats.timeseries': (context, input) => stats.createCaller(context).timeseries(input),
  'stats.breakdown': (context, input) => stats.createCaller(context).breakdown(input),
  'shares.piece': (context, input) => shares.createCaller(context).piece(input),
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
      if (!isFollowed(path)) throw new Refusal('not_found', t('This cannot be followed.'));
      const context = {
        ...services,
        headers: headersOf({ handshake }),
        setCookies: () => undefined,
        viewer: data.viewer,
        requester: services.requesterOf(request, signal),
      };
      try {
        return (await ASK[path](context, input as never)) as Json;
      } catch (error) {
        throw error instanceof TRPCError ? (error.cause ?? error) : error;
      }
    },
  };
}
