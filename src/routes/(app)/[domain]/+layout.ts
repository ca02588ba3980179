// One site of the account, by the domain in the address.
import { error } from '@sveltejs/kit';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, parent }) => {
  const { session } = await parent();
  const domain = params.domain.toLowerCase();
  const site = session.sites.find((one) => one.domain === domain);
  if (!site) error(404, `There is no site “${params.domain}” in your account.`);
  return { site };
};
