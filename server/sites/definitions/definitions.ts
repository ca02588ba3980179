// Goals and funnels: definitions that have a name and a position in the list of a site. Each kind has its own table, with the same columns.
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { isId, makeId } from '../../directory/ids.ts';
import { checkName } from '../../directory/names.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { t, texts } from '../../vocabulary/habits/messages.ts';

export type Db = Kysely<Tables>;
export type Named<Definition> = { id: string; name: string; created_at: number } & Definition;
type Site = { siteId: SiteId };

/** Returns a definition as the API shows it. */
export const toPublicDefinition = <Definition>(one: Named<Definition>) => ({
  ...one,
  created_at: new Date(one.created_at).toISOString(),
});

export type Definitions<Definition> = {
  /** In the order of their positions. */
  list(directory: Pick<Directory, 'db'>, site: Site): Promise<Named<Definition>[]>;
  /** Throws bad_request above the limit of a site, and for a name that the site already has. */
  create(
    directory: Directory,
    input: Site & { name: string; definition: Definition },
    now: number,
  ): Promise<Named<Definition>>;
  /** Throws not_found. */
  get(directory: Pick<Directory, 'db'>, input: Site & { id: string }): Promise<Named<Definition>>;
  /** Changes the name and the definition; the id stays. Throws not_found, and bad_request for a name that the site already has. */
  update(
    directory: Directory,
    input: Site & { id: string; name: string; definition: Definition },
    now: number,
  ): Promise<void>;
  /** The id stays. Throws not_found, and bad_request for a name that the site already has. */
  rename(directory: Directory, input: Site & { id: string; name: string }): Promise<void>;
  /** Moves a definition to a position in the list, 0 for the first. */
  move(directory: Directory, input: Site & { id: string; to: number }): Promise<void>;
  delete(directory: Directory, input: Site & { id: string }): Promise<void>;
};

type Row = Tables['goals'];

type Noun = 'goal' | 'funnel';

/** What is refused of each, in words. */
const TOO_MANY: Record<Noun, (limit: number) => string> = {
  goal: (limit) => t('A site can have {limit} goals: delete one to make another.', { limit }),
  funnel: (limit) => t('A site can have {limit} funnels: delete one to make another.', { limit }),
};
const UNKNOWN = texts({ goal: 'There is no such goal on this site.', funnel: 'There is no such funnel on this site.' });
const TAKEN = texts({
  goal: 'name: this site already has a goal with that name.',
  funnel: 'name: this site already has a funnel with that name.',
});

type Options<Definition> = {
  table: 'goals' | 'funnels';
  noun: Noun;
  /** Most definitions that a site can have. */
  limit: number;
  schema: z.ZodType<Definition>;
  /** Throws if the definition does not fit the site. Runs in the transaction. */
  check?(db: Db, site: Site, definition: Definition): Promise<void>;
  /** Runs when a definition has changed, in the same transaction. */
  onChange?(db: Db, id: string, now: number): Promise<void>;
  /** Runs just before the row is deleted, in the same transaction. */
  onDelete?(db: Db, site: Site, deleted: Named<Definition>): Promise<void>;
};

export function definitionsOf<Definition extends object>(options: Options<Definition>): Definitions<Definition> {
  const { noun, limit, schema, check, onChange, onDelete } = options;
  const table = options.table as 'goals'; // both have the same columns

  const read = ({ id, name, created_at, definition }: Row): Named<Definition> => ({
    id,
    name,
    created_at,
    ...schema.parse(JSON.parse(definition)),
  });
  const list = async ({ db }: Pick<Directory, 'db'>, { siteId }: Site) => {
    const rows = db.selectFrom(table).selectAll().where('site_id', '=', siteId);
    return (await rows.orderBy('position').orderBy('created_at').orderBy('id').execute()).map(read);
  };
  const change = <T>(directory: Directory, { siteId }: Site, work: (db: Db, own: Named<Definition>[]) => Promise<T>) =>
    changeSite(directory, siteId, async (db) => work(db, await list({ db }, { siteId })));
  return {
    list,
    create: (directory, input, now) =>
      change(directory, input, async (db, own) => {
        const name = checkName(input.name);
        checkFree(own, { noun, name });
        if (own.length >= limit) throw new Refusal('bad_request', TOO_MANY[noun](limit));
        await check?.(db, input, input.definition);
        const made = { id: makeId(noun), name, created_at: now };
        await db
          .insertInto(table)
          .values({
            ...made,
            site_id: input.siteId,
            definition: JSON.stringify(input.definition),
            position: own.length,
          })
          .execute();
        return { ...made, ...input.definition };
      }),
    get: async (directory, input) => find(await list(directory, input), { noun, id: input.id }),
    update: (directory, input, now) =>
      change(directory, input, async (db, own) => {
        const name = checkName(input.name);
        const { id } = find(own, { noun, id: input.id });
        const others = own.filter((each) => each.id !== id);
        checkFree(others, { noun, name });
        await check?.(db, input, input.definition);
        const definition = JSON.stringify(input.definition);
        const before = await db.selectFrom(table).select('definition').where('id', '=', id).executeTakeFirst();
        await db.updateTable(table).set({ name, definition }).where('id', '=', id).execute();
        if (before?.definition !== definition) await onChange?.(db, id, now);
      }),
    rename: (directory, input) =>
      change(directory, input, async (db, own) => {
        const name = checkName(input.name);
        const { id } = find(own, { noun, id: input.id });
        const others = own.filter((each) => each.id !== id);
        checkFree(others, { noun, name });
        await db.updateTable(table).set({ name }).where('id', '=', id).execute();
      }),
    move: (directory, input) =>
      change(directory, input, async (db, own) => {
        const one = find(own, { noun, id: input.id });
        const rest = own.filter((each) => each !== one);
        const order = [...rest.slice(0, input.to), one, ...rest.slice(input.to)];
        for (const [position, { id }] of order.entries())
          await db.updateTable(table).set({ position }).where('id', '=', id).execute();
      }),
    delete: (directory, input) =>
      change(directory, input, async (db, own) => {
        const one = find(own, { noun, id: input.id });
        await onDelete?.(db, input, one);
        await db.deleteFrom(table).where('id', '=', one.id).execute();
      }),
  };
}

/** Runs a transaction that locks the site's row, so that simultaneous changes wait for each other. */
export function changeSite<T>(
  directory: Pick<Directory, 'db'>,
  siteId: SiteId,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  return directory.db.transaction().execute(async (db) => {
    await db.updateTable('sites').set({ id: siteId }).where('id', '=', siteId).execute();
    return work(db);
  });
}

function find<One extends { id: string }>(own: One[], { noun, id }: { noun: Noun; id: string }): One {
  const one = isId(noun, id) ? own.find((each) => each.id === id) : undefined;
  if (!one) throw new Refusal('not_found', UNKNOWN[noun]);
  return one;
}

function checkFree(own: { name: string }[], { noun, name }: { noun: Noun; name: string }): void {
  if (own.some((each) => each.name === name)) throw new Refusal('bad_request', TAKEN[noun]);
}
