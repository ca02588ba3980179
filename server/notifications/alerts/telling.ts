// Tells the recipients of alerts what was noticed. What the recipients know is written in the same transaction as the mails.
import type { ExpressionBuilder } from 'kysely';
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables, Told } from '../../directory/schema.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { Message } from '../../messages/webhooks/messages.ts';
import type { Webhooks } from '../../messages/webhooks/webhooks.ts';
import { isLimitedMember } from '../../sites/access.ts';
import type { Db } from '../../sites/definitions/definitions.ts';
import { ALERT_KINDS, ALERTS } from '../../vocabulary/settings/alerts.ts';
import { summaryOf } from '../../vocabulary/settings/alert-words.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { happened, INCIDENT_ID_LENGTH, readFacts, type StoredIncident } from './incidents.ts';
import { listOf } from './rules.ts';
import { isQuiet, type Watched, watchedAlerts } from './watched.ts';

type Parts = {
  directory: Directory;
  mail: Pick<Mail, 'send'>;
  webhooks: Pick<Webhooks, 'send'>;
  billing: Billing;
};

/** Mails about alerts that one account can send within 24 hours. What is left is told afterwards, in one mail for each alert. */
const MAX_MAILS_PER_DAY = 500;
const ROLES_THAT_READ = ['owner', 'admin', 'viewer'] as const;

/** What there is to say about an incident, by what the recipients know and whether it is over. */
function nextTold({ told, ended_at }: StoredIncident): Told | undefined {
  if (ended_at !== null) return told === 'all' ? undefined : 'all';
  return told === 'nothing' ? 'started' : undefined;
}

/**
 * During the quiet hours of an alert nothing is told. After them, what still lasts is told as at any other time, and what is over is told
 * once, as over. If there is more than one thing to tell, it is one mail.
 */
export async function tellIncidents(parts: Parts, now: number): Promise<void> {
  const { directory, billing } = parts;
  const { db } = directory;
  const rows = db.selectFrom('incidents').selectAll().where('told', '!=', 'all');
  const all = await rows.orderBy('started_at').orderBy('id').execute();
  const news = Map.groupBy(all.filter(nextTold), ({ alert_id }) => alert_id);
  if (news.size === 0) return;
  for (const one of await watchedAlerts(db, { kinds: ALERT_KINDS, billing }, now)) {
    const incidents = news.get(one.alert.id);
    if (!incidents || isQuiet(one.alert, now)) continue;
    await db.transaction().execute((trx) => tellOne(trx, { one, incidents, parts }, now));
  }
}

type Telling = { one: Watched; incidents: StoredIncident[]; parts: Parts };

async function tellOne(db: Db, { one, incidents, parts }: Telling, now: number): Promise<void> {
  const { alert, site } = one;
  const prefix = `alert ${site.account_id} `;
  const recipients = await recipientsOf(db, one);
  if (recipients.length > 0 && (await mailsOfDay(db, prefix, now)) + recipients.length > MAX_MAILS_PER_DAY) return;
  const told: StoredIncident[] = [];
  for (const incident of incidents) {
    const next = nextTold(incident);
    if (!next) continue;
    const moved = await db
      .updateTable('incidents')
      .set({ told: next })
      .where('id', '=', incident.id)
      .where('told', '=', incident.told) // otherwise another process was faster
      .where('ended_at', incident.ended_at === null ? 'is' : '=', incident.ended_at) // it may have ended meanwhile
      .executeTakeFirst();
    if (moved.numUpdatedRows > 0n) told.push(incident);
  }
  const [first] = told;
  if (!first) return;
  const data = {
    list: listOf(site.account_id, alert),
    domain: site.domain,
    zone: alert.timezone,
    incidents: told.map((incident) => happened(incident, alert.kind)),
  };
  const phase = first.ended_at === null ? 'started' : 'ended';
  for (const { id, email } of recipients)
    await parts.mail.send(db, {
      kind: 'alert',
      key: `${prefix}${site.id} ${first.id} ${phase} ${id}`,
      to: email,
      data,
    });
  if (alert.webhooks.length === 0) return;
  const isOver = told.every(({ ended_at }) => ended_at !== null) && ALERTS[alert.kind].is === 'lasts';
  const { title, lines } = summaryOf(data, (name) => name);
  const message: Message = {
    type: isOver ? 'alert.ended' : 'alert.started',
    title,
    lines,
    path: `/${encodeURIComponent(site.domain)}`,
    data: {
      alert_id: alert.id,
      kind: alert.kind,
      domain: site.domain,
      incidents: told.map((incident) => toPublic(incident)),
    },
  };
  const webhook = { accountId: site.account_id, webhookIds: alert.webhooks, siteId: site.id, message };
  await parts.webhooks.send(db, { ...webhook, key: `alert ${first.id} ${phase}` }, now);
}

const iso = (time: number) => new Date(time).toISOString();

function toPublic(incident: StoredIncident) {
  const { counted_to: _, ...facts } = readFacts(incident);
  const { id, started_at, ended_at } = incident;
  return { id, started_at: iso(started_at), ended_at: ended_at === null ? null : iso(ended_at), ...facts };
}

/** Uses the range of the index: keys of other accounts and kinds are not read. */
async function mailsOfDay(db: Db, prefix: string, now: number): Promise<number> {
  const row = await db
    .selectFrom('mails')
    .select((select) => select.fn.countAll().as('count'))
    .where('key', '>=', prefix)
    .where('key', '<', `${prefix}~`)
    .where('created_at', '>', now - DAY_MS)
    .where('created_at', '<=', now)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

type Rule = {
  alert: Pick<Watched['alert'], 'kind' | 'members' | 'emails'>;
  site: Pick<Watched['site'], 'id' | 'account_id' | 'settings'>;
};

/** Members who have left, or may no longer see the site or what the alert tells, get nothing. Nobody gets a mail twice. */
export async function recipientsOf(db: Db, { alert, site }: Rule): Promise<{ id: string; email: string }[]> {
  const people = alert.members.length === 0 ? [] : await membersOf(db, { alert, site });
  const known = new Set(people.map(({ email }) => email));
  const others = alert.emails.filter((email) => !known.has(email)).map((email) => ({ id: email, email }));
  return [...people, ...others];
}

async function membersOf(db: Db, { alert, site }: Rule) {
  const { isOfVisitors } = ALERTS[alert.kind];
  const roles = ROLES_THAT_READ.filter((role) => !isOfVisitors || !isLimitedMember(role, site));
  const named = db
    .selectFrom('member_sites')
    .select('user_id')
    .where('account_id', '=', site.account_id)
    .where('site_id', '=', site.id);
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('account_id', '=', site.account_id)
    .where('role', 'in', roles)
    .where('user_id', 'in', alert.members)
    .where((member) => member.or([member('named_sites', '=', 0), member('user_id', 'in', named)]))
    .select(['users.id', 'email'])
    .orderBy('users.id')
    .execute();
}

/** When each alert of a site last told somebody: by alert and e-mail address, or by alert and webhook. */
export async function lastTold(
  { db }: Pick<Directory, 'db'>,
  { id, account_id }: Pick<Rule['site'], 'id' | 'account_id'>,
): Promise<(alertId: string, who: string) => number | null> {
  const ofSite = `alert ${account_id} ${id} `;
  /** Where the id of an incident stands in a key. */
  const placeOf = ({ lit }: Pick<ExpressionBuilder<Tables, never>, 'lit'>, before: string) => [
    lit(before.length + 1),
    lit(INCIDENT_ID_LENGTH),
  ];
  const [mails, messages] = await Promise.all([
    db
      .selectFrom('mails')
      .innerJoin('incidents', (join) =>
        join.on((eb) => eb(eb.fn('substr', ['mails.key', ...placeOf(eb, ofSite)]), '=', eb.ref('incidents.id'))),
      )
      .where('mails.key', '>=', ofSite)
      .where('mails.key', '<', `${ofSite}~`)
      .where('state', '=', 'sent')
      .groupBy(['alert_id', 'recipient'])
      .select((eb) => ['alert_id', 'recipient as who', eb.fn.max('mails.ended_at').as('at')])
      .execute(),
    db
      .selectFrom('webhook_deliveries as d')
      .innerJoin('incidents', (join) =>
        join.on((eb) => eb(eb.fn('substr', ['d.key', ...placeOf(eb, 'alert ')]), '=', eb.ref('incidents.id'))),
      )
      .where('d.site_id', '=', id)
      .where('state', '=', 'delivered')
      .groupBy(['alert_id', 'webhook_id'])
      .select((eb) => ['alert_id', 'webhook_id as who', eb.fn.max('d.ended_at').as('at')])
      .execute(),
  ]);
  const times = new Map([...mails, ...messages].map((row) => [`${row.alert_id} ${row.who}`, Number(row.at)]));
  return (alertId, who) => times.get(`${alertId} ${who}`) ?? null;
}
