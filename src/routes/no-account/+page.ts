import { error, redirect } from '@sveltejs/kit';
import { api, problem } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ depends }) => {
  depends('footfall:session');
  const broken = (cause: unknown) => error(503, problem(cause));
  const [session, start] = await Promise.all([
    api.session.current.query().catch(broken),
    api.session.start.query().catch(broken),
  ]);
  if (session) redirect(302, '/');
  if (start.signed_in_as === null) redirect(302, '/login');
  return { email: start.signed_in_as };
};
