import { redirect } from '@sveltejs/kit';
import { ACCOUNT_SETTINGS_PATH } from '$lib/account/pages';
import { ACCOUNT_ROOMS } from '$lib/settings/rooms/tables';
import type { PageLoad } from './$types';

/** Everybody sees the first room. */
export const load: PageLoad = () => redirect(302, ACCOUNT_SETTINGS_PATH + ACCOUNT_ROOMS[0].path);
