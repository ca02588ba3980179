// Procedures for the alerts of a site. People who log in see what alerts have noticed; only those who may change the site see the alerts
// themselves, because they hold e-mail addresses. Share links show nothing of it: the hours of incidents could tell more than their numbers.
import { z } from 'zod';
import { listMembers } from '../../accounts/people/people.ts';
import { previewAlert } from '../../notifications/alerts/preview.ts';
import { listIncidents } from '../../notifications/alerts/incidents.ts';
import {
  alertContent,
  createAlert,
  deleteAlert,
  listAlerts,
  listOf,
  updateAlert,
} from '../../notifications/alerts/rules.ts';
import { listWebhooks } from '../../messages/webhooks/stored.ts';
import { isLimitedMember } from '../../sites/access.ts';
import { measuresVitals, recordsErrors } from '../../sites/settings.ts';
import { isLimited } from '../../stats/disclosure/rule.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { router, siteProcedure } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';

const id = z.string().max(MAX_RECORD_ID);
const content = alertContent;

export const alerts = router({
  /** With the addresses that have unsubscribed from each alert, the people who can be told, and whether this server can send mail and whether the site measures speed and errors. */
  list: siteProcedure('admin').query(async ({ ctx }) => {
    const { access, directory, mail } = ctx;
    const all = await listAlerts(directory, { siteId: access.site.id });
    const unsubscribed = async (alert: { id: string }, emails: readonly string[]) => {
      const list = `alert:${listOf(access.account.id, alert)}` as const;
      const refused = await Promise.all(
        emails.map(async (email) => ((await mail.hasRefused(directory.db, email, list)) ? [email] : [])),
      );
      return refused.flat();
    };
    const people = await listMembers(directory, access.account.id);
    const members = people
      .filter(({ role }) => role !== 'billing')
      .map(({ userId, email, role }) => ({ id: userId, email, is_limited: isLimitedMember(role, access.site) }));
    const emailOf = new Map(members.map((member) => [member.id, member.email]));
    return {
      alerts: await Promise.all(
        all.map(async (alert) => ({
          ...alert,
          unsubscribed: await unsubscribed(alert, [
            ...alert.emails,
            ...alert.members.flatMap((member) => emailOf.get(member) ?? []),
          ]),
        })),
      ),
      members,
      webhooks: (await listWebhooks(directory, access.account.id)).map(({ id, name, format }) => ({
        id,
        name,
        format,
      })),
      can_mail: mail.isOn,
      measures_speed: measuresVitals(access.site.settings),
      records_errors: recordsErrors(access.site.settings),
    };
  }),
  create: siteProcedure('admin')
    .input(z.object({ content }))
    .mutation(({ ctx, input: { content } }) =>
      createAlert(
        ctx.directory,
        { siteId: ctx.access.site.id, accountId: ctx.access.account.id, content, mail: ctx.mail },
        ctx.now(),
      ),
    ),
  update: siteProcedure('admin')
    .input(z.object({ id, content }))
    .mutation(({ ctx, input: { id, content } }) =>
      updateAlert(
        ctx.directory,
        { siteId: ctx.access.site.id, accountId: ctx.access.account.id, id, content, mail: ctx.mail },
        ctx.now(),
      ),
    ),
  delete: siteProcedure('admin')
    .input(z.object({ id }))
    .mutation(({ ctx, input: { id } }) => deleteAlert(ctx.directory, { siteId: ctx.access.site.id, id })),
  /** How often an alert would have told something in the last 30 days. */
  preview: siteProcedure('admin')
    .input(z.object({ content }))
    .query(({ ctx, input: { content } }) =>
      previewAlert({ directory: ctx.directory, stats: ctx.stats }, { site: ctx.access.site, content }, ctx.now()),
    ),
  /** What the site's alerts have noticed, latest first. */
  history: siteProcedure('own').query(({ ctx: { directory, viewer, access } }) =>
    listIncidents(directory, { siteId: access.site.id, isLimited: isLimited(ruleFor(viewer, access)) }),
  ),
});
