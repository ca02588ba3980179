import { redirect } from '@sveltejs/kit';
import { accountPages } from '$lib/account/page-links';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ parent }) => {
  const { session } = await parent();
  redirect(302, accountPages(session.account)[0].path);
};
