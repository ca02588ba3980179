// The migrations of the directory database, in order, each in its own file. A start runs all new ones in one transaction, so a killed
// start leaves nothing half done. Never edit a released migration: add another one.
import type { Migration } from 'kysely/migration';
import { firstRelease } from './migrations/001-first-release.ts';
import { feeds } from './migrations/002-feeds.ts';
import { releases } from './migrations/003-releases.ts';
import { habits } from './migrations/004-habits.ts';
import { noteKinds } from './migrations/005-note-kinds.ts';
import { importers } from './migrations/006-importers.ts';
import type { Directory } from './open.ts';

export type Migrations = Record<string, Migration>;

export const migrationsFor = (form: Directory['form']): Migrations => ({
  '001_first_release': firstRelease(form),
  '002_feeds': feeds,
  '003_releases': releases,
  '004_habits': habits,
  '005_note_kinds': noteKinds,
  '006_importers': importers,
});
