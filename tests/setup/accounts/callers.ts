// Callers of every kind, and what each may learn.
import { createAccount } from '../../../server/accounts/accounts.ts';
import { createIngestToken } from '../../../server/sites/ingest.ts';
import { createKey } from '../../../server/accounts/keys.ts';
import { setPlan } from '../../../server/accounts/billing/plans.ts';
import { addMember } from '../../../server/accounts/people/people.ts';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import type { Role } from '../../../server/vocabulary/accounts/roles.ts';
import { changeShareLink, createShareLink, revokeShareLink } from '../../../server/sites/sharing/share.ts';
import { type LinkRules, NO_RULES, PART_NAMES } from '../../../server/vocabulary/settings/share-links.ts';
import { createReport, reportContent } from '../../../server/notifications/reports/definitions.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { alertContent, createAlert } from '../../../server/notifications/alerts/rules.ts';
import { addMentions, listMentions } from '../../../server/integrations/mentions/stored.ts';
import { createNote } from '../../../server/sites/definitions/notes.ts';
import { notePurge, startPurge } from '../../../server/sites/purges.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { stringify } from 'devalue';
import { PASSWORD, type TestApp } from '../app.ts';
import { addFunnel, addGroup } from '../stats/definitions.ts';
import { isMutation, type Named, type ProcedureRow, SHOWN_IN } from '../api/procedures.ts';

export type Asker = { headers: Record<string, string> };
export type World = Awaited<ReturnType<typeof makeWorld>>;
export type Who = keyof World['askers'];

/** Calls procedures of a server. */
export const makeAsk = (server: TestApp) => async (name: string, input: unknown, headers: Record<string, string>) => {
  const text = input === undefined ? undefined : JSON.stringify(stringify(input));
  const answer = isMutation(name)
    ? await fetch(`${server.url}/trpc/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...headers },
        ...(text !== undefined && { body: text }),
      })
    : await fetch(`${server.url}/trpc/${name}${text === undefined ? '' : `?input=${encodeURIComponent(text)}`}`, {
        headers,
      });
  return { status: answer.status, body: await answer.text() };
};

/** Accounts `own` and `other` with a site, a key and a share link each, an account whose trial is over, and one caller of every kind. */
export async function makeWorld(server: TestApp) {
  const { directory } = server.app.services;
  const { db } = directory;
  const now = server.clock.now;
  const make = async (name: string) => {
    const who = { email: `owner@${name}.example`, password: PASSWORD, status: 'active' as const };
    const { account, user } = await createAccount(directory, who, now);
    const site = await createSite(directory, { accountId: account.id, domain: `${name}.example` }, now);
    const key = await createKey(directory, { accountId: account.id, name: 'key' }, now);
    const link = await createShareLink(directory, { siteId: site.id, name: 'link' }, now);
    await createShareLink(directory, { siteId: site.id, name: 'public', public: true }, now);
    // One is used, and the other is revoked by those who may.
    const spare = await createShareLink(directory, { siteId: site.id, name: 'spare' }, now);
    const token = await createIngestToken(directory, { siteId: site.id }, now);
    const ofGoal = { siteId: site.id, name: 'goal', definition: { kind: 'page', page: '/' } as const };
    const goal = await goals.create(directory, ofGoal, now);
    const funnelId = await addFunnel(directory, site, now);
    const filters = [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }];
    const segment = await createSegment(directory, { siteId: site.id, owner: null, name: 'segment', filters }, now);
    const content = { day: '2026-11-20', text: 'note', is_private: false, kind: 'note' as const };
    const note = await createNote(directory, { siteId: site.id, content }, now);
    const days = { first_day: '2026-11-20', last_day: '2026-11-20' };
    const purge = await startPurge(directory, { siteId: site.id, name: 'purge', definition: {}, ...days }, now);
    await notePurge(directory, { ...purge, state: 'taken' });
    const begun = { siteId: site.id, format: 'csv', file: 'import.csv', content: name };
    const brought = await server.app.services.importing.begin(begun);
    const webhook = await server.app.services.webhooks.create({
      accountId: account.id,
      name: 'webhook',
      format: 'standard',
      url: 'https://hooks.example/',
    });
    const ofReport = reportContent.parse({
      name: 'report',
      frequency: 'weekly',
      hour: 8,
      timezone: 'UTC',
      recipients: [],
    });
    const report = await createReport(
      server.app.services,
      { accountId: account.id, siteId: site.id, userId: user.id, content: ofReport },
      now,
    );
    const thread = { thread: '1', title: 'Thread', url: 'https://lobste.rs/s/1', postedAt: now, said: '' };
    const found = [{ ...thread, points: 1, comments: 1 }];
    await addMentions(db, { siteId: site.id, place: 'lobsters', found }, now);
    const [mention] = await listMentions(directory, { siteId: site.id, last: 1 });
    const rule = alertContent.parse({ kind: 'spike', timezone: 'UTC' });
    const alert = await createAlert(
      directory,
      { siteId: site.id, accountId: account.id, content: rule, mail: server.app.services.mail },
      now,
    );
    const groupId = await addGroup(directory, site, now);
    const named: Named = {
      siteId: site.id,
      keyId: key.id,
      linkId: spare.id,
      tokenId: token.id,
      goalId: goal.id,
      funnelId,
      segmentId: segment.id,
      noteId: note.id,
      purgeId: purge.id,
      importId: brought.id,
      webhookId: webhook.id,
      reportId: report.id,
      alertId: alert.id,
      mentionId: mention?.id ?? '',
      groupId,
    };
    const login: Asker = { headers: { cookie: await server.logIn(who.email) } };
    const byDomain = { headers: { 'x-share-token': site.domain } };
    return { account, site, key: key.key, named, login, byDomain, share: { headers: { 'x-share-token': link.token } } };
  };
  const [own, other, ended] = [await make('own'), await make('other'), await make('ended')];
  await setPlan(directory, { accountId: ended.account.id, status: 'expired' }, now);

  /** A user without an account, who belongs to `own` with this role. */
  const join = async (
    name: string,
    role: Role,
    siteIds: SiteId[] | null = null,
  ): Promise<Asker & { userId: string }> => {
    const email = `${name}@own.example`;
    const { account, user } = await createAccount(directory, { email, password: PASSWORD }, now);
    await db.deleteFrom('accounts').where('id', '=', account.id).execute();
    await addMember(db, { accountId: own.account.id, userId: user.id, place: { role, siteIds } }, now);
    return { headers: { cookie: await server.logIn(email) }, userId: user.id };
  };
  const second = await createSite(directory, { accountId: own.account.id, domain: 'second.example' }, now);
  const grouped = { group_id: own.named.groupId, site_id: second.id, position: 1 };
  await db.insertInto('group_sites').values(grouped).execute();
  const left = await join('left', 'admin');
  await db.deleteFrom('members').where('user_id', '=', left.userId).execute();
  /** A share link of `own` with rules. */
  const linked = async (name: string, more: Partial<Parameters<typeof createShareLink>[1]> = {}): Promise<Asker> => {
    const link = await createShareLink(directory, { siteId: own.site.id, name, ...more }, now);
    return { headers: { 'x-share-token': link.token } };
  };
  const ruled = Object.entries(RULED).map(async ([name, { rules, fewest = 3 }]) => {
    const asker = await linked(name, { rules: { ...NO_RULES, ...rules }, shows: { fewest } });
    return [name, asker] as const;
  });
  const paused = await createShareLink(directory, { siteId: own.site.id, name: 'paused' }, now);
  await changeShareLink(directory, { siteId: own.site.id, linkId: paused.id, paused: true }, now);
  const unlinked = await createShareLink(directory, { siteId: own.site.id, name: 'revoked' }, now);
  await revokeShareLink(directory, { siteId: own.site.id, linkId: unlinked.id }, now);

  return {
    ask: makeAsk(server),
    own,
    second,
    other,
    ended,
    askers: {
      nobody: { headers: {} },
      'a made-up session': { headers: { cookie: 'footfall_session=made.up' } },
      'the owner': own.login,
      'an admin': await join('admin', 'admin'),
      'a billing member': await join('billing', 'billing'),
      'a viewer': await join('viewer', 'viewer'),
      'a viewer of this site': await join('named', 'viewer', [own.site.id]),
      'a viewer of another site': await join('elsewhere', 'viewer', [second.id]),
      'a member who left': left,
      'the owner of another account': other.login,
      'a share link of the site': own.share,
      'anybody, by a public dashboard’s domain': own.byDomain,
      'a share link of another site': other.share,
      'anybody, by the domain of another public dashboard': other.byDomain,
      'anybody, by a domain that is not public': { headers: { 'x-share-token': second.domain } },
      'a revoked share link': { headers: { 'x-share-token': unlinked.token } },
      'the owner of an account that ended': ended.login,
      'a share link of an account that ended': ended.share,
      'a paused share link': { headers: { 'x-share-token': paused.token } },
      'an expired share link': await linked('expired', { expires_at: now }),
      'a share link without its password': await linked('locked', { passwordHash: 'never compared' }),
      ...(Object.fromEntries(await Promise.all(ruled)) as Record<keyof typeof RULED, Asker>),
    } satisfies Record<string, Asker>,
  };
}

/** Share links of `own` with rules: one for each rule that leaves out what a viewer may ask. */
export const RULED = rowsOf({
  'a share link of pages alone': { rules: { parts: ['pages'] } },
  'a share link of everything but pages': { rules: { parts: PART_NAMES.filter((part) => part !== 'pages') } },
  'a share link of some visits': { rules: { filters: [{ dimension: 'country', operator: 'is', values: ['DE'] }] } },
  'a share link of past days': { rules: { period: { date_from: '2026-11-01', date_to: '2026-11-10' } } },
  'a share link of the last week': { rules: { period: { days: 7 } } },
  'a share link of groups of fifty': { fewest: 50 },
});

function rowsOf<Name extends string>(rows: Record<Name, { rules?: Partial<LinkRules>; fewest?: number }>) {
  return rows;
}

/** The export of days is no procedure. */
const OF_CSV: (typeof SHOWN_IN)[string] = { parts: ['pages', 'sources', 'events'], isOfDays: true };

/** True for a question that the link of `RULED` does not answer. */
export function isLeftOut(who: Who, name: string): boolean {
  const { parts = [], isOfDays = false, isOfEverybody = false } = name === 'csv' ? OF_CSV : (SHOWN_IN[name] ?? {});
  const { rules = {}, fewest = 3 } = who in RULED ? RULED[who as keyof typeof RULED] : {};
  const hidden = PART_NAMES.filter(
    (part) =>
      rules.parts?.includes(part) === false ||
      (rules.filters && ['ai', 'live'].includes(part)) ||
      (fewest > 3 && part === 'live'),
  );
  const isOver = rules.period !== undefined && rules.period !== null && 'date_to' in rules.period;
  const isOutside = (isOfDays && isOver) || (isOfEverybody && rules.filters !== undefined);
  return isOutside || parts.some((part) => hidden.includes(part));
}

export const GRANTED: Partial<Record<Who, readonly ProcedureRow['need'][]>> = {
  'the owner': ['read', 'own', 'admin', 'plan', 'owner', 'login', 'nothing'],
  'an admin': ['read', 'own', 'admin', 'login', 'nothing'],
  'a billing member': ['plan', 'login', 'nothing'],
  'a viewer': ['read', 'own', 'login', 'nothing'],
  'a viewer of this site': ['read', 'own', 'login', 'nothing'],
  'a share link of the site': ['read', 'nothing'],
  'anybody, by a public dashboard’s domain': ['read', 'nothing'],
  ...Object.fromEntries(Object.keys(RULED).map((who) => [who, ['read', 'nothing']])),
};
export const STRANGERS: readonly Who[] = [
  'nobody',
  'a made-up session',
  'a revoked share link',
  'anybody, by a domain that is not public',
  'a paused share link',
  'an expired share link',
  'a share link without its password',
];
