// The rooms of a site's settings, each loaded when it is opened. One route for all: the first load of every page names all routes.
import { t } from '../../../../../../server/vocabulary/habits/messages.ts';
import { error } from '@sveltejs/kit';
import type { Component } from 'svelte';
import type { SITE_ROOMS } from '$lib/settings/rooms/tables';
import type { PageLoad } from './$types';

type Path = (typeof SITE_ROOMS)[number]['path'];
const ROOMS: Record<Path, () => Promise<{ default: Component }>> = {
  '': () => import('$lib/settings/rooms/General.svelte'),
  '/counting': () => import('$lib/settings/rooms/Counting.svelte'),
  '/exclusions': () => import('$lib/settings/rooms/Exclusions.svelte'),
  '/goals': () => import('$lib/settings/rooms/Goals.svelte'),
  '/people': () => import('$lib/settings/rooms/People.svelte'),
  '/reports': () => import('$lib/settings/rooms/Reports.svelte'),
  '/integrations': () => import('$lib/settings/rooms/Integrations.svelte'),
  '/data': () => import('$lib/settings/rooms/Data.svelte'),
  '/danger': () => import('$lib/settings/rooms/Danger.svelte'),
};

export const load: PageLoad = async ({ params }) => {
  const path = params.room ? `/${params.room}` : '';
  if (!Object.hasOwn(ROOMS, path)) error(404, t('There is no “{room}” in the settings.', { room: params.room ?? '' }));
  return { Room: (await ROOMS[path as Path]()).default };
};
