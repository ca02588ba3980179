import { api, problem } from '$lib/api/client';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => {
  return api.accounts.signUpLink.mutate({ token: params.token }).then(
    ({ email }) => ({ email }),
    (error: unknown) => ({ trouble: problem(error) }),
  );
};
