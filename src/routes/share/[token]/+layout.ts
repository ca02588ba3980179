// A dashboard for whoever has the link: read only, without an account.
import { error } from '@sveltejs/kit';
import { connectApi, problem } from '$lib/trpc';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params }) => {
  const site = await connectApi(params.token)
    .shares.site.query()
    .catch((cause: unknown) => {
      const isGone = (cause as { data?: { httpStatus?: number } }).data?.httpStatus !== undefined;
      error(isGone ? 404 : 503, isGone ? 'This link is not valid any more. Ask for a new one.' : problem(cause));
    });
  return { site, token: params.token };
};
