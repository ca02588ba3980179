import { api, problem } from '$lib/trpc';
import type { PageLoad } from './$types';

export const load: PageLoad = async ({ params }) => {
  const [session, offer] = await Promise.all([
    api.session.current.query().catch(() => null),
    api.people.invitation.mutate({ token: params.token }).then(
      (invitation) => ({ invitation }),
      (error: unknown) => ({ trouble: problem(error) }),
    ),
  ]);
  return { session, ...offer };
};
