// Segments: saved filters, either shared by a site or personal. Only its owner can see a personal segment: for others it does not exist.
import type { Kysely } from 'kysely';
import { makeId } from '../../directory/ids.ts';
import { checkName } from '../../directory/names.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { namesId } from '../../vocabulary/questions/operators.ts';
import {
  type DeletedGoal,
  MAX_SEGMENT_TEXT,
  MAX_SEGMENTS,
  type PlainFilter,
} from '../../vocabulary/questions/segments.ts';
import { checkUnneeded } from '../sharing/needed-segments.ts';
import { changeSite } from './definitions.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export type Segment = { id: string; name: string; created_at: number; is_personal: boolean; filters: PlainFilter[] };
/** A person on a site. Share links and API keys have no `userId`, and see only shared segments. */
type Person = { siteId: SiteId; userId?: string | undefined };
/** A group of segments with one limit and unique names: those shared by a site, or those of one person. */
type SegmentGroup = { siteId: SiteId; owner: string | null };

/** Shared segments first, then the person's own, each oldest first. */
export async function listSegments({ db }: Pick<Directory, 'db'>, { siteId, userId }: Person): Promise<Segment[]> {
  const rows = db
    .selectFrom('segments')
    .selectAll()
    .where('site_id', '=', siteId)
    .where((where) =>
      where.or([where('user_id', 'is', null), ...(userId === undefined ? [] : [where('user_id', '=', userId)])]),
    );
  const found = (await rows.orderBy('created_at').orderBy('id').execute()).map(read);
  return [...found.filter((one) => !one.is_personal), ...found.filter((one) => one.is_personal)];
}

/** Throws not_found if the segment is not in `usable`. */
export function findSegment(usable: readonly Segment[], id: string): Segment {
  const segment = usable.find((one) => one.id === id);
  if (!segment) throw new Refusal('not_found', t('There is no such segment on this site.'));
  return segment;
}

type Saved = { name: string; filters: PlainFilter[] };

/** Throws bad_request above the limit, for filters that are too long, and for a name that another segment has. */
export function createSegment(directory: Directory, input: SegmentGroup & Saved, now: number): Promise<Segment> {
  const { siteId, owner } = input;
  return changeSite(directory, siteId, async (db) => {
    const group = await segmentsIn(db, input);
    const kept = withDeleted(input.filters, await deletedGoals(db, siteId));
    const saved = check(group, { ...input, kept }, { isPersonal: owner !== null });
    if (group.length >= MAX_SEGMENTS)
      throw new Refusal(
        'bad_request',
        owner === null
          ? t('A site can have {MAX_SEGMENTS} segments: delete one to make another.', { MAX_SEGMENTS })
          : t('You can have {MAX_SEGMENTS} segments of your own on a site: delete one to make another.', {
              MAX_SEGMENTS,
            }),
      );
    const row = { id: makeId('segment'), site_id: siteId, user_id: owner, created_at: now, ...saved };
    await db.insertInto('segments').values(row).execute();
    return read(row);
  });
}

/** Changes the name or the filters of a segment that `findSegment` returned; its id stays. Throws bad_request as `createSegment` does. */
export function changeSegment(
  directory: Directory,
  input: SegmentGroup & { segment: Segment } & Partial<Saved>,
): Promise<Segment> {
  const { siteId, owner, segment, name = segment.name, filters = segment.filters } = input;
  return changeSite(directory, siteId, async (db) => {
    await checkUnneeded({ db }, { siteId, segment: segment.id, filters });
    const others = (await segmentsIn(db, input)).filter(({ id }) => id !== segment.id);
    const kept = withDeleted(filters, await deletedGoals(db, siteId));
    const saved = check(others, { name, filters, kept }, { isPersonal: owner !== null });
    await db.updateTable('segments').set(saved).where('id', '=', segment.id).execute();
    return { ...segment, name: saved.name, filters: kept };
  });
}

/** Throws bad_request if a share link needs it. */
export async function deleteSegment(directory: Pick<Directory, 'db'>, { id }: Pick<Segment, 'id'>): Promise<void> {
  const row = await directory.db.selectFrom('segments').select('site_id').where('id', '=', id).executeTakeFirst();
  if (!row) return;
  await changeSite(directory, row.site_id, async (db) => {
    await checkUnneeded({ db }, { siteId: row.site_id, segment: id });
    await db.deleteFrom('segments').where('id', '=', id).execute();
  });
}

type Row = Tables['segments'];

/** The filters were checked before they were saved. */
const read = ({ id, name, created_at, user_id, definition }: Row): Segment => ({
  id,
  name,
  created_at,
  is_personal: user_id !== null,
  filters: JSON.parse(definition) as PlainFilter[],
});

const segmentsIn = (db: Kysely<Tables>, { siteId, owner }: SegmentGroup) =>
  db
    .selectFrom('segments')
    .select(['id', 'name'])
    .where('site_id', '=', siteId)
    .where('user_id', owner === null ? 'is' : '=', owner)
    .execute();

/** When a goal is deleted, copies its condition into the segments that name it. Runs in the transaction of the deletion. */
export async function keepInSegments(
  db: Kysely<Tables>,
  { siteId }: { siteId: SiteId },
  { created_at: _, ...deleted }: DeletedGoal & { created_at: number },
): Promise<void> {
  for (const row of await rowsOf(db, siteId)) {
    const { filters } = read(row);
    const kept = withDeleted(filters, [deleted]);
    if (kept.some((filter, index) => filter !== filters[index]))
      await db
        .updateTable('segments')
        .set({ definition: JSON.stringify(kept) })
        .where('id', '=', row.id)
        .execute();
  }
}

const rowsOf = (db: Kysely<Tables>, siteId: SiteId) =>
  db.selectFrom('segments').selectAll().where('site_id', '=', siteId).execute();

/** The deleted goals that the site's segments keep. They are looked up here, because requests to save filters contain only ids. */
async function deletedGoals(db: Kysely<Tables>, siteId: SiteId): Promise<DeletedGoal[]> {
  const filters = (await rowsOf(db, siteId)).flatMap((row) => read(row).filters);
  return filters.flatMap(({ deleted_goals = [] }) => deleted_goals);
}

/** Adds to each filter the deleted goals that it names, each once. */
function withDeleted(filters: readonly PlainFilter[], deleted: readonly DeletedGoal[]): PlainFilter[] {
  return filters.map((filter) => {
    const named = filter.dimension === 'goal' ? deleted.filter(({ id }) => namesId(filter, id)) : [];
    const all = new Map([...(filter.deleted_goals ?? []), ...named].map((goal) => [goal.id, goal]));
    return named.length === 0 ? filter : { ...filter, deleted_goals: [...all.values()] };
  });
}

/** `kept`: the filters with the conditions of deleted goals. These do not count towards the length limit. */
function check(
  others: { name: string }[],
  { name: sent, filters, kept }: Saved & { kept: PlainFilter[] },
  { isPersonal }: { isPersonal: boolean },
) {
  const name = checkName(sent);
  if (others.some((one) => one.name === name))
    throw new Refusal(
      'bad_request',
      isPersonal
        ? t('name: you already have a segment with that name.')
        : t('name: this site already has a segment with that name.'),
    );
  const plain = filters.map(({ dimension, operator, values }) => ({ dimension, operator, values }));
  if (JSON.stringify(plain).length > MAX_SEGMENT_TEXT)
    throw new Refusal(
      'bad_request',
      t('filters: are too long to save: at most {MAX_SEGMENT_TEXT} characters are allowed in total.', {
        MAX_SEGMENT_TEXT,
      }),
    );
  return { name, definition: JSON.stringify(kept) };
}
