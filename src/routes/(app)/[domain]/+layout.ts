// Finds a site of the account by the domain in the address.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { error } from '@sveltejs/kit';
import { page } from '$app/state';
import { loadNotices } from '$lib/dashboard/known-notices';
import { askEarly, keepKnown, knownSite } from '$lib/view/early';
import { connectApi } from '$lib/api/client';
import { signedIn } from '../signed-in';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, parent, url, route, untrack }) => {
  // The domain may be typed in its international form; URL.parse turns it into the stored form.
  const domain = URL.parse(`http://${params.domain}`)?.hostname ?? params.domain;
  const isOpened = untrack(() => route.id === '/(app)/[domain]' && page.data['site']?.domain !== domain);
  const ask = (site: Parameters<typeof askEarly>[1]) =>
    isOpened && askEarly(connectApi(), site, { search: untrack(() => url.search) });
  const known = knownSite(domain);
  if (known) void ask(known);
  const { session } = await signedIn(parent);
  const site = session.sites.find((one) => one.domain === domain);
  if (!site) error(404, t('There is no site “{domain}” in your account.', { domain: params.domain }));
  if (site.id !== known?.id) await ask(site);
  keepKnown(site);
  await loadNotices(site);
  return { session, site };
};
