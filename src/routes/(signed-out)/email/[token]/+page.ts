import { api, problem } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => {
  return api.profile.emailLink.mutate({ token: params.token }).then(
    (change) => ({ change }),
    (error: unknown) => ({ trouble: problem(error) }),
  );
};
