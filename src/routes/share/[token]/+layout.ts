// The read-only dashboard of a share link, without an account.
import { error } from '@sveltejs/kit';
import { loadNotices } from '$lib/dashboard/known-notices';
import { connectApi, problem } from '$lib/trpc';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, depends }) => {
  depends('footfall:share');
  const site = await connectApi(params.token)
    .shares.site.query()
    .catch((cause: unknown) => {
      const status = (cause as { data?: { httpStatus?: number } }).data?.httpStatus;
      if (status === 404) error(404, 'This link is no longer valid. Ask for a new one.');
      error(status === 403 ? 403 : 503, problem(cause));
    });
  await loadNotices(site);
  return { site, token: params.token };
};
