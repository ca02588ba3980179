// Procedures for reports, and the page that shows one as it is mailed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { recordAction } from '../../accounts/account-log.ts';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import {
  changeReport,
  createReport,
  deleteReport,
  findReport,
  listOf,
  listReports,
  NO_SUCH_REPORT,
  pauseReport,
  recipientsOf,
  type Report,
  reportContent,
} from '../../notifications/reports/definitions.ts';
import {
  listStates,
  personalContent,
  resubscribe,
  subscribe,
  unsubscribe,
} from '../../notifications/reports/personal.ts';
import { readLog } from '../../notifications/reports/runs.ts';
import { troubleOf } from '../../notifications/reports/trouble.ts';
import { listWebhooks } from '../../messages/webhooks/stored.ts';
import { siteFor, type SiteAccess, type Viewer } from '../../sites/access.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { router, type Services, siteProcedure } from '../trpc.ts';
import { readViewer } from '../viewer.ts';
import { say, t } from '../../vocabulary/habits/messages.ts';

const id = z.string().max(MAX_RECORD_ID);
const LOGGED_RUNS = 20;

type Caller = Services & { access: SiteAccess; viewer: Viewer };

const placeOf = ({ access }: Pick<Caller, 'access'>) => ({ accountId: access.account.id, siteId: access.site.id });

/** Only people have the role that reports need. */
function userOf({ viewer }: Pick<Caller, 'viewer'>): string {
  if (viewer.kind !== 'user') throw new Refusal('forbidden', t('Log in to manage reports.'));
  return viewer.userId;
}

const find = (ctx: Caller, which: string): Promise<Report> => findReport(ctx.directory, { ...placeOf(ctx), id: which });

/** Adding somebody gives access to numbers, so owners can see in the account's log who did. */
const note = (ctx: Caller, action: 'report_saved' | 'report_deleted', { name }: Pick<Report, 'name'>) =>
  recordAction(ctx, action, {
    ids: { account_id: ctx.access.account.id, site_id: ctx.access.site.id, user_id: userOf(ctx) },
    name,
    domain: ctx.access.site.domain,
  });

async function listShown(ctx: Caller, webhookIds: readonly string[]) {
  const { directory, mail } = ctx;
  const { db } = directory;
  const all = await listReports(directory, placeOf(ctx));
  const recipients = await recipientsOf(
    db,
    all.map((report) => report.id),
  );
  const users = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('account_id', '=', ctx.access.account.id)
    .select(['users.id', 'email'])
    .execute();
  const ofAccount = db.selectFrom('site_groups').select(['id', 'name']).where('account_id', '=', ctx.access.account.id);
  const groups = new Map((await ofAccount.execute()).map((group) => [group.id, group]));
  const emails = new Map(users.map((user) => [user.id, user.email]));
  return Promise.all(
    all.map(async (report) => {
      const own = recipients.filter(({ report_id }) => report_id === report.id);
      const shown = own.flatMap(({ email, user_id }) => email ?? emails.get(user_id ?? '') ?? []);
      const what = `reports:${listOf(report)}` as const;
      const people = shown.map(async (email) => ({ email, unsubscribed: await mail.hasRefused(db, email, what) }));
      const { id, name, frequency, hour, timezone, viewed, paused, due_at } = report;
      const webhooks = report.webhooks.filter((one) => webhookIds.includes(one));
      const ofSeveral = report.group_id === null ? ('account' as const) : ('group' as const);
      const of = report.site_id === null ? ofSeveral : ('site' as const);
      return {
        id,
        name,
        of,
        group: groups.get(report.group_id ?? '') ?? null,
        frequency,
        hour,
        timezone,
        viewed,
        webhooks,
        paused,
        due_at,
        trouble: troubleOf(report),
        recipients: await Promise.all(people),
      };
    }),
  );
}

export const reports = router({
  list: siteProcedure('admin').query(async ({ ctx }) => {
    const webhooks = await listWebhooks(ctx.directory, ctx.access.account.id);
    return {
      has_mail: ctx.mail.isOn,
      webhooks: webhooks.map(({ id, name }) => ({ id, name })),
      reports: await listShown(
        ctx,
        webhooks.map((webhook) => webhook.id),
      ),
    };
  }),
  create: siteProcedure('admin')
    .input(z.object({ content: reportContent }))
    .mutation(async ({ ctx, input: { content } }) => {
      const made = await createReport(ctx, { ...placeOf(ctx), userId: userOf(ctx), content }, ctx.now());
      await note(ctx, 'report_saved', made);
      return { id: made.id };
    }),
  update: siteProcedure('admin')
    .input(z.object({ id, content: reportContent }))
    .mutation(async ({ ctx, input: { id, content } }) => {
      const report = await find(ctx, id);
      await changeReport(ctx, { ...placeOf(ctx), userId: userOf(ctx), content, report }, ctx.now());
      await note(ctx, 'report_saved', content);
    }),
  pause: siteProcedure('admin')
    .input(z.object({ id, paused: z.boolean() }))
    .mutation(async ({ ctx, input: { id, paused } }) =>
      pauseReport(ctx.directory, { report: await find(ctx, id), paused }, ctx.now()),
    ),
  /** Returns how many mails and messages to webhooks were queued: no mails for people who have unsubscribed. */
  sendNow: siteProcedure('admin')
    .input(z.object({ id, to: z.enum(['me', 'all']) }))
    .mutation(async ({ ctx, input }) => {
      const report = await find(ctx, input.id);
      if (!ctx.mail.isOn && (input.to === 'me' || report.webhooks.length === 0))
        throw new Refusal('bad_request', t('Mail is not set up on this server.'));
      await ctx.takeReport(ctx.access.account.id);
      return ctx.reports.sendNow(report, input.to === 'all' ? 'all' : { userId: userOf(ctx) });
    }),
  log: siteProcedure('admin')
    .input(z.object({ id }))
    .query(async ({ ctx, input }) => readLog(ctx.directory, await find(ctx, input.id), LOGGED_RUNS)),
  /** The reports of the site that the person mails to themselves. */
  own: siteProcedure('own').query(async ({ ctx }) => {
    const all = await listStates(ctx, { ...placeOf(ctx), userId: userOf(ctx) });
    return {
      has_mail: ctx.mail.isOn,
      reports: all.map(({ id, name, frequency, hour, timezone, viewed, due_at, trouble, unsubscribed }) => ({
        id,
        name,
        frequency,
        hour,
        timezone,
        viewed,
        due_at,
        trouble: troubleOf({ trouble }),
        unsubscribed,
      })),
    };
  }),
  /** Mails a view to the person who asks. */
  subscribe: siteProcedure('own')
    .input(z.object({ content: personalContent }))
    .mutation(async ({ ctx, input: { content } }) => {
      const { id } = await subscribe(ctx, { ...placeOf(ctx), userId: userOf(ctx), content }, ctx.now());
      return { id };
    }),
  unsubscribe: siteProcedure('own')
    .input(z.object({ id }))
    .mutation(({ ctx, input: { id } }) => unsubscribe(ctx.directory, { ...placeOf(ctx), userId: userOf(ctx), id })),
  /** For a report that was ended by the link in its mail. */
  resubscribe: siteProcedure('own')
    .input(z.object({ id }))
    .mutation(({ ctx, input: { id } }) => resubscribe(ctx, { ...placeOf(ctx), userId: userOf(ctx), id })),
  delete: siteProcedure('admin')
    .input(z.object({ id }))
    .mutation(async ({ ctx, input }) => {
      const report = await find(ctx, input.id);
      if (!(await deleteReport(ctx.directory, report))) throw new Refusal('not_found', say(NO_SUCH_REPORT));
      await note(ctx, 'report_deleted', report);
    }),
});

/** `/report-preview/SITE_ID/REPORT_ID`: only the settings show it, in a frame. */
export const REPORT_PREVIEW_PATH = '/report-preview/';
const PREVIEW = /^\/report-preview\/(\w{1,40})\/(\w{1,40})$/;

export function openReportPreview(services: Services) {
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    checkIsRead(request, response);
    const { directory, now, config } = services;
    const [, siteId = '', which = ''] = PREVIEW.exec(url.pathname) ?? [];
    const viewer = await readViewer(services, request.headers, () => services.addressHashOf(request));
    if (viewer?.kind !== 'user') throw new Refusal('unauthorized', t('Log in to see this report.'));
    const access = await siteFor(directory, viewer, { siteId }, 'admin', { now: now(), billing: billingOf(config) });
    const report = await findReport(directory, { accountId: access.account.id, siteId: access.site.id, id: which });
    const user = await directory.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', viewer.userId)
      .executeTakeFirst();
    if (!user) throw new Refusal('not_found', say(NO_SUCH_REPORT));
    const page = await services.reports.preview(report, user.email);
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    response.end(request.method === 'HEAD' ? undefined : page);
  };
}
