import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Directory } from '../open.ts';

/** Mails are found by the first characters of their keys, as a range. It holds only in the order of bytes, which SQLite always has. */
export const mailKeys = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    if (form === 'postgres') await sql`alter table mails alter column key type text collate "C"`.execute(db);
  },
});
