// The alerts of a site: what to watch for, whom to tell, and when to be quiet.
import { z } from 'zod';
import { normaliseEmail } from '../../accounts/accounts.ts';
import { isId, makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { countingAnew } from '../../sites/definitions/counted-alerts.ts';
import { pagePattern } from '../../sites/definitions/goals.ts';
import { changeSite, type Db } from '../../sites/definitions/definitions.ts';
import {
  ALERT_KINDS,
  ALERT_METRIC_NAMES,
  GOAL_TELLING_NAMES,
  highestLimit,
  LEAST,
  LIMIT_HOURS,
  MAX_ALERT_EMAILS,
  MAX_ALERT_MEMBERS,
  MAX_ALERT_WEBHOOKS,
  MAX_ALERTS,
  SENSITIVITY_NAMES,
  USUAL_HOURS,
} from '../../vocabulary/settings/alerts.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { VITAL_NAMES } from '../../vocabulary/numbers/vitals.ts';
import { readZone } from '../../vocabulary/time/zones.ts';
import { checkWebhooks } from '../../messages/webhooks/stored.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const hour = z.int().min(0).max(23);
const id = z.string().max(MAX_RECORD_ID);

export const alertContent = z
  .strictObject({
    kind: z.enum(ALERT_KINDS),
    /** For traffic alerts. */
    metric: z.enum(ALERT_METRIC_NAMES).default('unique_visitors'),
    sensitivity: z.enum(SENSITIVITY_NAMES).default('usual'),
    /** For goal alerts. */
    goal_id: id.nullable().default(null),
    telling: z.enum(GOAL_TELLING_NAMES).default('each'),
    /** For alerts about speed: the vital whose 75th percentile is compared. */
    vital: z.enum(VITAL_NAMES).default('lcp'),
    /** A path or a pattern; null for the whole site. */
    page: pagePattern.nullable().default(null),
    /** For alerts with a limit, which count over some hours and at least so many page views or visits. Null for the usual limit. */
    above: z.number().positive().nullable().default(null),
    hours: z.literal(LIMIT_HOURS).default(USUAL_HOURS),
    least: z.int().min(LEAST.from).max(LEAST.most).default(LEAST.usual),
    /** Members of the account, by user id: their present address is used. */
    members: z.array(id).max(MAX_ALERT_MEMBERS).default([]),
    /** Other people. */
    emails: z.array(z.string().max(254)).max(MAX_ALERT_EMAILS).default([]),
    /** Webhooks of the account, by id. */
    webhooks: z.array(id).max(MAX_ALERT_WEBHOOKS).default([]),
    /** Full hours of `timezone`, from the first to before the last. */
    quiet: z.strictObject({ from: hour, to: hour }).nullable().default(null),
    timezone: z
      .string()
      .max(64)
      .refine((name) => readZone(name) !== undefined, { error: () => t('must be a time zone such as Europe/Berlin') }),
    paused: z.boolean().default(false),
  })
  .refine(({ kind, goal_id }) => kind !== 'goal' || goal_id !== null, {
    path: ['goal_id'],
    error: () => t('must name a goal'),
  })
  .refine((content) => content.above === null || content.above <= highestLimit(content), {
    path: ['above'],
    error: ({ input }) =>
      t('must be at most {most}', { most: highestLimit(input as Parameters<typeof highestLimit>[0]) }),
  });
export type AlertContent = z.output<typeof alertContent>;
export type Alert = AlertContent & { id: string; created_at: number };

type OfSite = { siteId: SiteId };
type Row = Tables['alerts'];

export function readAlert({ id, created_at, definition, paused }: Row): Alert {
  return { id, created_at, ...alertContent.parse({ ...(JSON.parse(definition) as object), paused: paused === 1 }) };
}

/** Oldest first. */
export async function listAlerts({ db }: Pick<Directory, 'db'>, { siteId }: OfSite): Promise<Alert[]> {
  const rows = db.selectFrom('alerts').selectAll().where('site_id', '=', siteId);
  return (await rows.orderBy('created_at').orderBy('id').execute()).map(readAlert);
}

type Change = OfSite & { accountId: string; content: AlertContent; mail: Pick<Mail, 'hasRefusedAny'> };

/** What a recipient unsubscribes from. */
export const listOf = (accountId: string, { id }: Pick<Alert, 'id'>): string => `${listsOf(accountId)}${id}`;

/** How the lists of all alerts of an account begin. */
const listsOf = (accountId: string): string => `${accountId}__`;

/** Throws bad_request above the limit of a site, for a goal or a member that the site does not have, and for addresses that have unsubscribed. */
export function createAlert(directory: Directory, input: Change, now: number): Promise<Alert> {
  const { siteId } = input;
  return changeSite(directory, siteId, async (db) => {
    const own = await db.selectFrom('alerts').select('id').where('site_id', '=', siteId).execute();
    if (own.length >= MAX_ALERTS)
      throw new Refusal(
        'bad_request',
        t('A site can have {MAX_ALERTS} alerts: delete one to make another.', { MAX_ALERTS }),
      );
    const row = {
      id: makeId('alert'),
      site_id: siteId,
      created_at: now,
      ...(await columns(db, input, { emails: [], members: [] })),
      ...begun(now),
    };
    await db.insertInto('alerts').values(row).execute();
    return readAlert(row);
  });
}

/** Counts and hours before this moment are not told. Throws as `createAlert`, and not_found. */
export function updateAlert(directory: Directory, input: Change & { id: string }, now: number): Promise<void> {
  const { siteId, id } = input;
  return changeSite(directory, siteId, async (db) => {
    const before = await db
      .selectFrom('alerts')
      .selectAll()
      .where('site_id', '=', siteId)
      .where('id', '=', checkId(id))
      .executeTakeFirst();
    if (!before) throw noSuchAlert();
    const after = await columns(db, input, readAlert(before));
    const isOther = before.kind !== after.kind || watched(readAlert(before)) !== watched(input.content);
    await db
      .updateTable('alerts')
      .set({ ...after, ...((isOther || before.paused !== after.paused) && begun(now)) })
      .where('id', '=', id)
      .execute();
    // Nobody is told of the end of something that the alert no longer watches for.
    if (isOther || after.paused === 1)
      await db
        .updateTable('incidents')
        .set((set) => ({ told: 'all', ended_at: set.fn.coalesce('ended_at', set.val(now)) }))
        .where('alert_id', '=', id)
        .where('told', '!=', 'all')
        .execute();
  });
}

const watched = ({ kind, metric, sensitivity, goal_id, telling, ...content }: AlertContent) => {
  const { vital, page, above, hours, least } = content;
  return JSON.stringify([kind, metric, sensitivity, goal_id, telling, vital, page, above, hours, least]);
};

const begun = (now: number) => ({ watched_since: now, ...countingAnew(now) });

/** Throws not_found. */
export async function deleteAlert(
  { db }: Pick<Directory, 'db'>,
  { siteId, id }: OfSite & { id: string },
): Promise<void> {
  const deleted = db.deleteFrom('alerts').where('site_id', '=', siteId).where('id', '=', checkId(id));
  if ((await deleted.executeTakeFirst()).numDeletedRows === 0n) throw noSuchAlert();
}

/** `known`: whom the alert tells already. Those of them who have left the account are left out. */
async function columns(
  db: Db,
  { siteId, accountId, content, mail }: Change,
  known: Pick<AlertContent, 'emails' | 'members'>,
) {
  const { paused, ...rest } = content;
  const definition = {
    ...rest,
    emails: [...new Set(rest.emails.map(normaliseEmail))],
    members: [...new Set(rest.members)],
    webhooks: [...new Set(rest.webhooks)],
  };
  for (const email of definition.emails.filter((each) => !known.emails.includes(each)))
    if (await mail.hasRefusedAny(db, email, `alert:${listsOf(accountId)}`))
      throw new Refusal(
        'bad_request',
        t(
          'emails: {email} has unsubscribed from an alert of this account. Only they can subscribe again, with the link in the mail that they got.',
          { email },
        ),
      );
  if (definition.kind === 'goal') {
    const goals = db.selectFrom('goals').select('id').where('site_id', '=', siteId);
    if (!(await goals.where('id', '=', definition.goal_id ?? '').executeTakeFirst()))
      throw new Refusal('bad_request', t('goal_id: There is no such goal on this site.'));
  }
  await checkWebhooks(db, { accountId, ids: definition.webhooks });
  if (definition.members.length > 0) {
    const members = db.selectFrom('members').select('user_id').where('account_id', '=', accountId);
    const own = await members.where('user_id', 'in', definition.members).execute();
    const isOwn = (id: string) => own.some(({ user_id }) => user_id === id);
    if (!definition.members.every((id) => isOwn(id) || known.members.includes(id)))
      throw new Refusal('bad_request', t('members: Somebody of these does not belong to this account.'));
    definition.members = definition.members.filter(isOwn);
  }
  return { kind: definition.kind, definition: JSON.stringify(definition), paused: paused ? 1 : 0 } as const;
}

function checkId(id: string): string {
  if (!isId('alert', id)) throw noSuchAlert();
  return id;
}

const noSuchAlert = () => new Refusal('not_found', t('There is no such alert on this site.'));
