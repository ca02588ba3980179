import { redirect } from '@sveltejs/kit';
import { api } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ url }) => {
  const [session, start] = await Promise.all([
    api.session.current.query().catch(() => null),
    // Without an answer the form is shown anyway: it reports by itself that the server cannot be reached.
    api.session.start
      .query()
      .catch(() => ({ first_start: false, signup: 'closed' as const, sso: null, signed_in_as: null })),
  ]);
  // Somebody who is logged in may be proving again who they are: see PasswordForm.svelte.
  if (url.searchParams.has('sso')) return { start };
  if (session) redirect(302, '/');
  if (start.signed_in_as !== null) redirect(302, '/no-account');
  return { start };
};
