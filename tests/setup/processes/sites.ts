// Sites in a directory that no server has open yet, all of the account `owner@` the first one's domain.
import { createAccount } from '../../../server/accounts/accounts.ts';
import { openDirectory } from '../../../server/directory/open.ts';
import { createSite, type Site } from '../../../server/sites/sites.ts';
import { PASSWORD } from '../app.ts';

export async function makeSites(
  place: { databaseUrl?: string; path: string },
  [domain, ...others]: [string, ...string[]],
): Promise<[Site, ...Site[]]> {
  const directory = await openDirectory(place);
  const now = Date.now();
  const who = { email: `owner@${domain}`, password: PASSWORD, status: 'active' as const };
  const { account } = await createAccount(directory, who, now);
  const make = (name: string) => createSite(directory, { accountId: account.id, domain: name }, now);
  const first = await make(domain);
  const rest: Site[] = [];
  for (const name of others) rest.push(await make(name));
  await directory.close();
  return [first, ...rest];
}
