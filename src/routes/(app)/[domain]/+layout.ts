// One site of the account, by the domain in the address.
import { error } from '@sveltejs/kit';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, parent }) => {
  const { session } = await parent();
  // An address may be typed as people write the domain: the parser of addresses turns it into what is stored.
  const domain = URL.parse(`http://${params.domain}`)?.hostname ?? params.domain;
  const site = session.sites.find((one) => one.domain === domain);
  if (!site) error(404, `There is no site “${params.domain}” in your account.`);
  return { site };
};
