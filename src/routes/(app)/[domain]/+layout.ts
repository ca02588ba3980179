// Finds a site of the account by the domain in the address.
import { error } from '@sveltejs/kit';
import { loadNotices } from '$lib/dashboard/known-notices';
import { signedIn } from '../signed-in';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, parent }) => {
  const { session } = await signedIn(parent);
  // The domain may be typed in its international form; URL.parse turns it into the stored form.
  const domain = URL.parse(`http://${params.domain}`)?.hostname ?? params.domain;
  const site = session.sites.find((one) => one.domain === domain);
  if (!site) error(404, `There is no site “${params.domain}” in your account.`);
  await loadNotices(site);
  return { session, site };
};
