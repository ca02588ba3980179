import { api, problem } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => {
  return api.transfers.offered.mutate({ token: params.token }).then(
    (offer) => ({ offer }),
    (error: unknown) => ({ trouble: problem(error) }),
  );
};
