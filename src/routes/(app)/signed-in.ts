import { redirect } from '@sveltejs/kit';
import type { LayoutData } from './$types';

/** The session of a page that only people who are signed in see. */
export async function signedIn(
  parent: () => Promise<LayoutData>,
): Promise<{ session: NonNullable<LayoutData['session']> }> {
  const { session } = await parent();
  if (!session) redirect(302, '/login');
  return { session };
}
