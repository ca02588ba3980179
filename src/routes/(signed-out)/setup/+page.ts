import { api } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async () => ({
  // Without an answer the form is shown anyway: it reports by itself that the server cannot be reached.
  start: await api.session.start.query().catch(() => ({ first_start: false, signup: 'closed' as const })),
});
