// The last counts are loaded before the wall is shown, so that its first second is not empty.
import { api } from '$lib/api/client';
import { loadFirst } from '$lib/wall/today.svelte';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ parent }) => {
  const { site } = await parent();
  return { first: await loadFirst(api, site.id) };
};
