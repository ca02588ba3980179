// Notes of a site: a short text on a day, which the chart shows as a pennant. A day is a date of the site's own zone, so a note stays on it
// when the zone changes.
import { z } from 'zod';
import { idFrom, isId, makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { MAX_NOTE, MAX_NOTES, NOTE_KINDS, type NoteKind } from '../../vocabulary/settings/notes.ts';
import { DAY_RULE } from '../../vocabulary/time/periods.ts';
import { cleanText } from '../../vocabulary/texts/spelling.ts';
import { readDay } from '../../vocabulary/time/time.ts';
import { changeSite } from './definitions.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const TEXT_RULE = { error: () => t('must be text of 1 to {most} characters', { most: MAX_NOTE }) };

export const noteContent = z.strictObject({
  day: z.string().refine((text) => readDay(text) !== undefined, DAY_RULE),
  text: z
    .string(TEXT_RULE)
    .max(MAX_NOTE, TEXT_RULE)
    .transform((sent) => cleanText(sent, MAX_NOTE))
    .refine((clean) => clean !== '', TEXT_RULE),
  /** Hidden from the viewers of share links. */
  is_private: z.boolean().default(false),
  kind: z.enum(NOTE_KINDS, `must be ${NOTE_KINDS.join(' or ')}`).default('note'),
});
type NoteContent = z.output<typeof noteContent>;
type Note = NoteContent & { id: string };

type OfSite = { siteId: SiteId };

/** The latest day first. Without `kind`, all. */
export async function listNotes(
  { db }: Pick<Directory, 'db'>,
  { siteId, isShared, kind }: OfSite & { isShared: boolean; kind?: NoteKind },
): Promise<Note[]> {
  const rows = db.selectFrom('notes').selectAll().where('site_id', '=', siteId);
  const visible = isShared ? rows.where('is_private', '=', 0) : rows;
  const asked = kind === undefined ? visible : visible.where('kind', '=', kind);
  return (await asked.orderBy('day', 'desc').orderBy('created_at').orderBy('id').execute()).map(read);
}

/**
 * Returns the note that was made with the same key before, as long as there is one: a deployment that runs twice makes one note. Throws
 * bad_request above the limit of a site.
 */
export function createNote(
  directory: Directory,
  input: OfSite & { content: NoteContent; key?: string | undefined },
  now: number,
): Promise<Note> {
  const { siteId, content, key } = input;
  return changeSite(directory, siteId, async (db) => {
    const own = await db.selectFrom('notes').selectAll().where('site_id', '=', siteId).execute();
    const id = key === undefined ? makeId('note') : idFrom('note', `${siteId} ${key}`);
    const made = own.find((note) => note.id === id);
    if (made) return read(made);
    if (own.length >= MAX_NOTES)
      throw new Refusal(
        'bad_request',
        t('A site can have {MAX_NOTES} notes: delete one to write another.', { MAX_NOTES }),
      );
    const row = { id, site_id: siteId, created_at: now, ...columns(content) };
    await db.insertInto('notes').values(row).execute();
    return read(row);
  });
}

/** Throws not_found. */
export async function changeNote(
  { db }: Pick<Directory, 'db'>,
  { siteId, id, content }: OfSite & { id: string; content: NoteContent },
): Promise<void> {
  const changed = db.updateTable('notes').set(columns(content)).where('site_id', '=', siteId);
  checkFound((await changed.where('id', '=', checkId(id)).executeTakeFirst()).numUpdatedRows);
}

/** Throws not_found. */
export async function deleteNote(
  { db }: Pick<Directory, 'db'>,
  { siteId, id }: OfSite & { id: string },
): Promise<void> {
  const deleted = db.deleteFrom('notes').where('site_id', '=', siteId);
  checkFound((await deleted.where('id', '=', checkId(id)).executeTakeFirst()).numDeletedRows);
}

const read = ({ id, day, text, is_private, kind }: Tables['notes']): Note => ({
  id,
  day,
  text,
  is_private: is_private === 1,
  kind,
});

const columns = ({ day, text, is_private, kind }: NoteContent) =>
  ({ day, text, is_private: is_private ? 1 : 0, kind }) as const;

function checkId(id: string): string {
  if (!isId('note', id)) throw noSuchNote();
  return id;
}

function checkFound(rows: bigint): void {
  if (rows === 0n) throw noSuchNote();
}

const noSuchNote = () => new Refusal('not_found', t('There is no such note on this site.'));
