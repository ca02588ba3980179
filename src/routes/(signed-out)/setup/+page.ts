import { api } from '$lib/trpc';
import type { PageLoad } from './$types';

export const load: PageLoad = async () => ({
  // Without an answer the form is shown all the same: it says itself when the server is away.
  start: await api.session.start.query().catch(() => ({ first_start: false, signup: 'closed' as const })),
});
