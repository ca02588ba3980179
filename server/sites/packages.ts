// Stores every version of the npm package that this installation has served. Customers' lock files contain an address and a hash, so every
// process must serve the same bytes at an address, even after upgrades.
import type { Directory } from '../directory/open.ts';

/** The archive that npm installs. `name` is its file name, `footfall-VERSION.tgz`. */
type Package = { name: string; archive: Buffer };

/** Stores a version. The first archive of a name stays, since another process may have built the same version with other bytes. */
export async function keepPackage({ db }: Directory, { name, archive }: Package, now: number): Promise<void> {
  await db
    .insertInto('packages')
    .values({ name, archive: archive.toString('base64'), created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export async function packageOf({ db }: Directory, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('packages').select('archive').where('name', '=', name).executeTakeFirst();
  return row && Buffer.from(row.archive, 'base64');
}
