import { api, problem } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => {
  return api.people.invitation.mutate({ token: params.token }).then(
    (invitation) => ({ invitation }),
    (error: unknown) => ({ trouble: problem(error) }),
  );
};
