// Who reads a feed or a calendar: the person whose address it is. There is no session, so only a second factor that is set up here counts, and not
// what an OpenID Connect issuer said when the person logged in.
import { lacksFactor } from '../../accounts/sign-in/factors/required-factor.ts';
import type { Directory } from '../../directory/open.ts';
import type { Viewer } from '../../sites/access.ts';

export const readerOf = async (directory: Pick<Directory, 'db'>, userId: string): Promise<Viewer> => ({
  kind: 'user',
  userId,
  lacksFactor: await lacksFactor(directory, userId),
});
