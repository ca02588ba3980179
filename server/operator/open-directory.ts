// For commands that need only the directory database: opens it, and finds the sites and accounts that they name.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { prepareDataFolder } from '../process/data-folder.ts';
import { type Directory, DIRECTORY_FILE, openDirectory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import type { Site } from '../sites/sites.ts';
import { t } from '../vocabulary/habits/messages.ts';
import type { Running } from './command-line.ts';

export async function withDirectory<T>(
  { config }: { config: Config },
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  const path = join(config.DATA_DIR, DIRECTORY_FILE);
  if (!config.DATABASE_URL) await prepareDataFolder(config.DATA_DIR);
  const directory = await openDirectory({ databaseUrl: config.DATABASE_URL, path, earlier: 'refuse' });
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** Throws not_found for a domain without a site. */
export async function withSite<T>(
  domain: string,
  context: Running,
  work: (directory: Directory, site: Site) => Promise<T>,
): Promise<T> {
  return withDirectory(context, async (directory) => {
    const { siteByDomain } = await import('../sites/sites.ts');
    const site = await siteByDomain(directory, domain);
    if (!site)
      throw new Refusal('not_found', t('There is no site {domain}: create it first, with "site create".', { domain }));
    context.touched.site_id = site.id;
    return work(directory, site);
  });
}

/** Throws not_found for an e-mail address without an account. */
export async function accountIdOf(directory: Directory, email: string, { touched }: Running): Promise<string> {
  const { accountOfEmail } = await import('../accounts/accounts.ts');
  const { id } = await accountOfEmail(directory, email);
  touched.account_id = id;
  return id;
}
