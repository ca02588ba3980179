// Loads the notices before a dashboard that will show one, so that they do not push its figures down later.
import type { Site } from '../api/types';

export async function loadNotices({ tracking, is_lost, search_broken, is_currency_proposed }: Site): Promise<void> {
  if (!tracking || is_lost || search_broken || is_currency_proposed)
    await import('./SiteNotices.svelte').catch(() => undefined); // the dashboard itself asks again
}
