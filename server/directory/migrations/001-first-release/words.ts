// What the two databases write differently. They read all other words alike: `bigint` is an 8-byte integer in PostgreSQL, and has INTEGER
// affinity in SQLite.
import { sql } from 'kysely';

export const WORDS = {
  sqlite: { unlogged: sql``, bytewise: sql``, bytes: sql`blob` },
  postgres: { unlogged: sql`unlogged`, bytewise: sql`collate "C"`, bytes: sql`bytea` },
};
export type Words = (typeof WORDS)['sqlite'];
