// The read-only dashboard of a share link, without an account.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { error } from '@sveltejs/kit';
import { page } from '$app/state';
import { prepareNames } from '$lib/formats/domain';
import { loadNotices } from '$lib/dashboard/known-notices';
import { askEarly } from '$lib/view/early';
import { habitsOfAddress } from '$lib/browser/habits.svelte';
import { recallJson } from '$lib/browser/storage';
import { isFramed } from '$lib/browser/theme.svelte';
import { openShared } from '$lib/view/link-view';
import { connectApi, problem } from '$lib/api/client';
import type { OwnArrangement } from '../../../../server/vocabulary/settings/arrangement.ts';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = async ({ params, depends, url, route, untrack }) => {
  depends('footfall:share');
  const language = untrack(() => habitsOfAddress(url));
  // TRICKY: a page takes the focus when it starts. A preview must not take it from the form beside it.
  if (params.token.startsWith('draft_') && isFramed()) HTMLElement.prototype.focus = () => undefined;
  // As bytes that a header can hold: a domain may be typed in Unicode.
  const asked = encodeURIComponent(params.token);
  const api = connectApi(asked);
  const site = await api.shares.site.query().catch((cause: unknown) => {
    const status = (cause as { data?: { httpStatus?: number } }).data?.httpStatus;
    if (status === 401) return undefined; // the page asks for the password
    if (status === 404) error(404, t('This link is no longer valid. Ask for a new one.'));
    error(status === 403 ? 403 : 503, problem(cause));
  });
  if (!site) return { token: asked };
  const token = params.token.includes('.') ? site.domain : asked;
  const shared = openShared(site);
  const isOpened = untrack(() => route.id === '/share/[token]' && page.data['token'] !== token);
  if (isOpened) await askEarly(api, site, { search: untrack(() => url.search), shared });
  await Promise.all([language, loadNotices(site), prepareNames([site.domain])]);
  return { site: { ...site, own_arrangement: recallJson<OwnArrangement>(`/share/${token}`) }, shared, token };
};
