import { api } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async () => ({
  // Without an answer the form is shown anyway: it reports by itself that the server cannot be reached.
  hasMail: await api.session.start.query().then(
    (start) => start.has_mail,
    () => true,
  ),
});
