// The log of reports: which periods were sent or left out, and what became of each mail and each message to a webhook.
import type { Kysely } from 'kysely';
import { makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { say } from '../../vocabulary/habits/messages.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Report } from './definitions.ts';
import type { Span } from './schedule.ts';

/** How long the log keeps what was sent. */
const KEPT_MS = 365 * DAY_MS;

type Run = {
  id?: string;
  key: string;
  report: Report;
  span: Span;
  state: Tables['report_runs']['state'];
  mails: number;
};

/** Returns false if this period was reported or left out before. */
export async function addRun(
  db: Kysely<Tables>,
  { id, key, report, span, state, mails }: Run,
  now: number,
): Promise<boolean> {
  const added = await db
    .insertInto('report_runs')
    .values({
      id: id ?? makeId('run'),
      key,
      report_id: report.id,
      account_id: report.account_id,
      date_from: dayOf(span.from),
      date_to: dayOf(span.to - DAY_MS),
      state,
      mails,
      created_at: now,
    })
    // A clock that was ahead may have left out a period whose time comes again.
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ state, mails, created_at: now })
        .where('report_runs.state', '=', state === 'skipped' ? 'on request' : 'skipped'),
    )
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Forgets the runs of a report that are older than a year. */
export async function forgetRuns(db: Kysely<Tables>, { id }: Pick<Report, 'id'>, now: number): Promise<void> {
  const old = db
    .deleteFrom('report_runs')
    .where('report_id', '=', id)
    .where('created_at', '<', now - KEPT_MS);
  await old.execute();
}

/** The last runs of a report, newest first, each with its mails and its messages to webhooks. */
export async function readLog({ db }: Pick<Directory, 'db'>, report: Pick<Report, 'id'>, limit: number) {
  const runs = await db
    .selectFrom('report_runs')
    .selectAll()
    .where('report_id', '=', report.id)
    .orderBy('created_at', 'desc')
    .orderBy('date_from', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return Promise.all(
    runs.map(async ({ key, date_from, date_to, state, created_at }) => {
      const prefix = `report ${key} `;
      const mails = await db
        .selectFrom('mails')
        .select(['recipient', 'state', 'attempts', 'answer', 'ended_at'])
        .where('key', '>=', prefix)
        .where('key', '<', `${prefix}~`)
        .orderBy('recipient')
        .execute();
      const deliveries = await deliveriesOf(db, `report ${key}`, report);
      const said = mails.map((mail) => ({ ...mail, answer: mail.answer === null ? null : say(mail.answer) }));
      return { date_from, date_to, state, created_at, mails: said, deliveries };
    }),
  );
}

/** Webhooks that have been deleted took their deliveries with them. */
const deliveriesOf = (db: Kysely<Tables>, key: string, { id }: Pick<Report, 'id'>) =>
  db
    .selectFrom('webhooks')
    .innerJoin('reports', 'reports.account_id', 'webhooks.account_id')
    .innerJoin('webhook_deliveries as d', 'd.webhook_id', 'webhooks.id')
    .where('reports.id', '=', id)
    .where('d.key', '=', key)
    .select(['webhooks.name', 'd.state', 'd.answer'])
    .orderBy('webhooks.name')
    .orderBy('webhooks.id')
    .execute();
