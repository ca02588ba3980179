// All pages that need a login: loads the user and their sites.
import { error, redirect } from '@sveltejs/kit';
import { api, problem } from '$lib/trpc';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ url, depends, untrack }) => {
  depends('footfall:session');
  const to = untrack(() => url.pathname + url.search);
  const session = await api.session.current.query().catch((cause: unknown) => error(503, problem(cause)));
  if (!session) redirect(302, to === '/' ? '/login' : `/login?to=${encodeURIComponent(to)}`);
  return { session };
};
