// The session of all pages that need one. Only the start page is shown without one; the others call `signedIn`.
import { error, redirect } from '@sveltejs/kit';
import { prepareNames } from '$lib/formats/domain';
import { api, problem, showAccount } from '$lib/api/client';
import { chooseOwnHabits } from '$lib/browser/habits.svelte';
import type { LayoutLoad } from './$types';

/** Where a missing second factor is set up. */
const SECURITY = '/settings/security';

export const load: LayoutLoad = async ({ url, depends, untrack }) => {
  depends('footfall:session');
  const to = untrack(() => url.pathname + url.search);
  const broken = (cause: unknown) => error(503, problem(cause));
  // Loaded beside the session: notices that came later would push the page down.
  const notices = import('$lib/account/notices/Notices.svelte').catch(() => undefined);
  const session = await api.session.current.query().catch(broken);
  // Other pages would look for sites, which are not shown yet.
  if (session?.needs_second_factor && to !== SECURITY) redirect(302, SECURITY);
  if (session) {
    showAccount(session.account.id);
    await Promise.all([
      chooseOwnHabits(session.user.habits),
      notices,
      prepareNames(session.sites.map(({ domain }) => domain)),
    ]);
    return { session, start: null };
  }
  const start = await api.session.start.query().catch(broken);
  if (start.signed_in_as !== null) redirect(302, '/no-account');
  if (to !== '/') redirect(302, `/login?to=${encodeURIComponent(to)}`);
  // Before there is an account, the login page says how to create the first one.
  if (start.first_start) redirect(302, '/login');
  return { session, start };
};
