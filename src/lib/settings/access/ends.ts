// What ends each way in which numbers of a site reach somebody: the change that the page of its own kind makes.
import { FEED_KINDS } from '../../../../server/vocabulary/settings/feeds.ts';
import type { AccessKind, AccessRow } from '../../../../server/vocabulary/settings/access.ts';
import type { Alert, Report, Session } from '../../api/types';
import { api } from '../../api/client';

type Place = { siteId: string; session: Session };
type End = (row: AccessRow, place: Place) => Promise<unknown>;

const elsewhere: End = () => Promise.reject(new Error('nobody can end this here'));

/** Takes somebody or a webhook from a report, and deletes one that nobody gets any more. */
async function endReport(
  siteId: string,
  id: string,
  without: (report: Report) => Pick<Report, 'recipients' | 'webhooks'>,
) {
  const { reports } = await api.reports.list.query({ site_id: siteId });
  const report = reports.find((one) => one.id === id);
  if (!report) return;
  const { name, of, group, frequency, hour, timezone, viewed } = report;
  const { recipients, webhooks } = without(report);
  if (recipients.length + webhooks.length === 0) return api.reports.delete.mutate({ site_id: siteId, id });
  const content = { name, of, frequency, hour, timezone, viewed, webhooks, ...(group && { group: group.id }) };
  const to = recipients.map(({ email }) => email);
  return api.reports.update.mutate({ site_id: siteId, id, content: { ...content, recipients: to } });
}

/** The same for an alert. Those who have left the account are taken from it, too. */
async function endAlert(siteId: string, { of, id }: AccessRow) {
  const { alerts, members, webhooks } = await api.alerts.list.query({ site_id: siteId });
  const alert = alerts.find((one) => one.id === of);
  if (!alert) return;
  const { id: alertId, created_at: _, unsubscribed: __, ...content }: Alert = alert;
  const others = (ids: readonly string[], known: readonly { id: string }[]) =>
    ids.filter((one) => one !== id && known.some((is) => is.id === one));
  const left = {
    members: others(content.members, members),
    emails: content.emails.filter((email) => email !== id),
    webhooks: others(content.webhooks, webhooks),
  };
  if (Object.values(left).flat().length === 0) return api.alerts.delete.mutate({ site_id: siteId, id: alertId });
  return api.alerts.update.mutate({ site_id: siteId, id: alertId, content: { ...content, ...left } });
}

export const ENDS: Record<AccessKind, End> = {
  person: ({ id, keeps, is_self }, { session }) => {
    if (is_self) return api.people.leave.mutate({ account_id: session.account.id });
    if (keeps) return api.people.change.mutate({ user_id: id, role: 'viewer', site_ids: keeps });
    return api.people.remove.mutate({ user_id: id });
  },
  invitation: ({ id }) => api.people.withdraw.mutate({ id }),
  single_sign_on: elsewhere,
  link: ({ id }, { siteId }) => api.shares.revoke.mutate({ site_id: siteId, id }),
  demo: elsewhere,
  page: async (_, { siteId }) => {
    const { transparency } = await api.sites.settings.query({ site_id: siteId });
    return api.sites.change.mutate({ site_id: siteId, transparency: { ...transparency, shown: false } });
  },
  report: ({ id, of }, { siteId }) =>
    endReport(siteId, of ?? '', ({ recipients, webhooks }) => ({
      recipients: recipients.filter(({ email }) => email !== id),
      webhooks,
    })),
  own_report: ({ id }, { siteId }) => api.reports.unsubscribe.mutate({ site_id: siteId, id }),
  feed: async ({ of }, { siteId }) => {
    const kind = FEED_KINDS.find((one) => one === of);
    if (kind) await api.feeds.end.mutate({ site_id: siteId, kind });
  },
  alert: (row, { siteId }) => endAlert(siteId, row),
  webhook: (row, { siteId }) =>
    row.of?.startsWith('report_')
      ? endReport(siteId, row.of, ({ recipients, webhooks }) => ({
          recipients,
          webhooks: webhooks.filter((one) => one !== row.id),
        }))
      : endAlert(siteId, row),
  key: ({ id }) => api.keys.revoke.mutate({ id }),
  export: ({ id }) => api.exports.delete.mutate({ id }),
  transfer: (_, { siteId }) => api.transfers.withdraw.mutate({ site_id: siteId }),
};
