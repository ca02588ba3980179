// What the directory holds about one person, for the person: never a secret, and nothing about other people.
import { readChosen } from '../../directory/habits.ts';
import type { Directory } from '../../directory/open.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

export async function exportUser(directory: Pick<Directory, 'db'>, userId: string) {
  const rows = await rowsAbout(directory, userId);
  const { user, accounts, sessions, passkeys, identities, app, segments, arranged, feeds, reports, mails, log } = rows;
  return {
    profile: {
      id: user.id,
      name: user.name,
      email: user.email,
      email_verified: user.email_verified === 1,
      dates_and_numbers: readChosen(user.habits),
      created_at: iso(user.created_at),
    },
    accounts: accounts.map(({ created_at, ...account }) => ({ ...account, joined_at: iso(created_at) })),
    sessions: sessions.map(({ agent, created_at, updated_at, expires_at }) => ({
      browser: agent,
      started_at: iso(created_at),
      last_used_at: iso(updated_at),
      expires_at: iso(expires_at),
    })),
    passkeys: passkeys.map(({ name, created_at, last_used_at }) => ({
      name,
      created_at: iso(created_at),
      last_used_at: isoOrNull(last_used_at),
    })),
    single_sign_on: identities.map(({ issuer, subject, created_at }) => ({ issuer, subject, since: iso(created_at) })),
    authenticator_since: isoOrNull(app[0]?.confirmed_at ?? null),
    segments: segments.map(({ site_id, name, definition, created_at }) => ({
      site_id,
      name,
      filters: JSON.parse(definition) as unknown,
      created_at: iso(created_at),
    })),
    dashboards: arranged.map(({ site_id, content }) => ({ site_id, arrangement: JSON.parse(content) as unknown })),
    feeds: feeds.map(({ site_id, kind, created_at, last_used_at }) => ({
      site_id,
      kind,
      created_at: iso(created_at),
      last_used_at: isoOrNull(last_used_at),
    })),
    reports: reports.map(({ site_id, name, frequency, hour, timezone, viewed, created_at, due_at }) => ({
      site_id,
      name,
      frequency,
      hour,
      timezone,
      viewed: JSON.parse(viewed) as unknown,
      created_at: iso(created_at),
      next_at: iso(due_at),
    })),
    mails: mails.map(({ kind, state, created_at, ended_at }) => ({
      kind,
      state,
      created_at: iso(created_at),
      ended_at: isoOrNull(ended_at),
    })),
    log: log.map(({ account_id, action, name, domain, created_at }) => ({
      account_id,
      action,
      name,
      domain,
      created_at: iso(created_at),
    })),
  };
}

async function rowsAbout({ db }: Pick<Directory, 'db'>, userId: string) {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  const accounts = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('user_id', '=', userId)
    .select(['accounts.id', 'accounts.name', 'role', 'members.created_at'])
    .orderBy('members.created_at')
    .execute();
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).orderBy('id').execute();
  const passkeys = await db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
  const identities = await db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('issuer')
    .execute();
  const app = await db.selectFrom('authenticators').select('confirmed_at').where('user_id', '=', userId).execute();
  const segments = await db.selectFrom('segments').selectAll().where('user_id', '=', userId).orderBy('id').execute();
  const arranged = await db
    .selectFrom('arrangements')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('site_id')
    .execute();
  const feeds = await db
    .selectFrom('feeds')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const reports = await db
    .selectFrom('reports')
    .selectAll()
    .where('created_by', '=', userId)
    .where('personal', '=', 1)
    .orderBy('id')
    .execute();
  const mails = await db.selectFrom('mails').selectAll().where('recipient', '=', user.email).orderBy('id').execute();
  const log = await db
    .selectFrom('account_log')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return { user, accounts, sessions, passkeys, identities, app, segments, arranged, feeds, reports, mails, log };
}
