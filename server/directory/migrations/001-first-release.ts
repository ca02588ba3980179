// The schema of release 1.0.0.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Directory } from '../open.ts';
import { accounts } from './001-first-release/accounts.ts';
import { integrations } from './001-first-release/integrations.ts';
import { jobs } from './001-first-release/jobs.ts';
import { messages } from './001-first-release/messages.ts';
import { notifications } from './001-first-release/notifications.ts';
import { people } from './001-first-release/people.ts';
import { secrets } from './001-first-release/secrets.ts';
import { sites } from './001-first-release/sites.ts';
import { WORDS } from './001-first-release/words.ts';

export const firstRelease = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    const words = WORDS[form];
    // Tables come after those that they refer to.
    const subjects = [
      people,
      accounts,
      sites,
      messages(words),
      notifications,
      integrations,
      jobs(words),
      secrets(words),
    ];
    for (const statement of subjects.flat()) await statement.execute(db);
  },
});
