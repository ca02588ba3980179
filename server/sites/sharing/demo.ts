// The demo: with DEMO=on, anybody may read the site that `npm run seed` made, as if a link to it had been shared.
import type { Config } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { NO_RULES } from '../../vocabulary/settings/share-links.ts';
import { NO_LOOKS, type SharedLink, type Shows } from './share.ts';

/** Shorter than the token of any link. */
export const DEMO_TOKEN = 'demo';

/** Its visitors are made up, so nothing is withheld. */
const SHOWS: Shows = { properties: true, fewest: 1, credit: false, embedded_on: [] };

/** Undefined if the demo is off, or there is no demo site. */
export async function demoLink({
  config,
  directory,
}: {
  config: Config;
  directory: Directory;
}): Promise<SharedLink | undefined> {
  if (config.DEMO === 'off') return undefined;
  const site = await directory.db
    .selectFrom('sites')
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .where('accounts.kind', '=', 'demo')
    .select('sites.id')
    .orderBy('sites.created_at')
    .limit(1)
    .executeTakeFirst();
  return site && { linkId: DEMO_TOKEN, siteId: site.id, shows: SHOWS, rules: NO_RULES, looks: NO_LOOKS };
}
