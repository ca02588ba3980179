// The package `footfall`, in every version that this installation has served: the lock files of customers name an address and a
// hash, so an address must keep its bytes through upgrades, and answer from every process.
import type { Directory } from '../directory/open.ts';

/** An archive as npm installs it, under its file name: `footfall-VERSION.tgz`. */
export type Package = { name: string; archive: Buffer };

/** Keeps a version. The first archive of a name stays: another process may have built the same one with other bytes. */
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
