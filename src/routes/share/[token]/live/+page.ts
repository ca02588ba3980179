// The last counts are loaded before the wall is shown, so that its first second is not empty.
import { t } from '../../../../../server/vocabulary/habits/messages.ts';
import { connectApi } from '$lib/api/client';
import { loadFirst } from '$lib/wall/today.svelte';
import { error } from '@sveltejs/kit';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ parent }) => {
  const { site, shared, token } = await parent();
  if (!site) return { first: undefined };
  if (!shared.hasPart('live')) error(404, t('This shared dashboard has no live view.'));
  return { first: await loadFirst(connectApi(token), site.id) };
};
