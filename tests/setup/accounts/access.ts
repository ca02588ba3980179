// A site that everybody can see: one of each kind of access that people can give, and what has been used of it.
import { addMember } from '../../../server/accounts/people/people.ts';
import { createInvitation } from '../../../server/accounts/people/invitations.ts';
import { insertUser, prepareAccount } from '../../../server/accounts/accounts.ts';
import { askExport } from '../../../server/accounts/exports.ts';
import { createKey } from '../../../server/accounts/keys.ts';
import { addIncident } from '../../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../../server/notifications/alerts/rules.ts';
import { createReport, reportContent } from '../../../server/notifications/reports/definitions.ts';
import { personalContent, subscribe } from '../../../server/notifications/reports/personal.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { makeFeed } from '../../../server/sites/sharing/feeds.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { configureSite, createSite, type Site } from '../../../server/sites/sites.ts';
import { offerSite } from '../../../server/sites/transfers.ts';
import { NO_RULES } from '../../../server/vocabulary/settings/share-links.ts';
import { HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { PASSWORD, type TestApp } from '../app.ts';

export const VIEWER = 'vera@guest.example';

/** The server must be able to send mail. */
export async function giveAccess(server: TestApp, site: Site) {
  const { directory, mail, webhooks } = server.app.services;
  const { now } = server.clock;
  const accountId = site.account_id;
  const members = directory.db.selectFrom('members').select('user_id').where('account_id', '=', accountId);
  const { user_id: owner } = await members.executeTakeFirstOrThrow();
  const second = await createSite(directory, { accountId, domain: 'second.example' }, now);
  const viewer = await insertUser(directory.db, await prepareAccount({ email: VIEWER, password: PASSWORD }), now);
  const place = { role: 'viewer' as const, siteIds: [site.id, second.id] };
  await addMember(directory.db, { accountId, userId: viewer.id, place }, now + 1); // listed after the owner
  const invited = { role: 'admin', siteIds: null } as const;
  const invitation = await createInvitation(
    directory,
    { accountId, by: owner, place: invited, email: 'ivan@guest.example' },
    now,
  );

  const shared = { siteId: site.id, owner: null };
  const german = [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }];
  const segment = await createSegment(directory, { ...shared, name: 'Readers', filters: german }, now);
  const link = await createShareLink(
    directory,
    {
      siteId: site.id,
      name: 'For ACME',
      shows: { fewest: 1 },
      rules: { ...NO_RULES, filters: [{ dimension: 'segment', operator: 'is', values: [segment.id] }] },
      expires_at: Date.UTC(2036, 2, 4),
    },
    now,
  );
  const transparency = { shown: true, contact: '', opt_out_page: '' };
  await configureSite(directory, { siteId: site.id, settings: { transparency } }, now);

  const team = await webhooks.create({
    accountId,
    name: 'Team',
    format: 'standard',
    url: 'https://hooks.guest.example/x',
  });
  const often = { hour: 8, timezone: 'UTC' };
  const content = { ...often, name: 'Board', frequency: 'weekly', recipients: ['board@guest.example'] };
  const ofSite = { accountId, siteId: site.id };
  const report = await createReport(
    { directory, mail },
    { ...ofSite, userId: owner, content: reportContent.parse({ ...content, webhooks: [team.id] }) },
    now,
  );
  const mine = personalContent.parse({ ...often, name: 'Mine', frequency: 'daily' });
  const own = await subscribe({ directory, mail }, { ...ofSite, userId: owner, content: mine }, now);
  const feed = await makeFeed(directory, { siteId: site.id, userId: owner, kind: 'news' }, now);
  const told = alertContent.parse({ kind: 'spike', timezone: 'UTC', emails: ['oncall@guest.example'] });
  const alert = await createAlert(directory, { ...ofSite, content: told, mail }, now);
  const key = await createKey(directory, { accountId, name: 'Wallboard' }, now);
  const file = await askExport(directory, { ...ofSite, userId: owner, kind: 'open', recipient: null }, now);
  const offer = await offerSite(
    directory,
    { siteId: site.id, accountId, by: owner, email: 'buyer@guest.example', notify: () => Promise.resolve() },
    now,
  );

  return {
    owner,
    viewer: viewer.id,
    second,
    invitation,
    link,
    report,
    own,
    feed,
    alert,
    webhook: team,
    key,
    file,
    offer,
    /** Lets the alert notice something, and tells it. */
    async notice() {
      const times = { started_at: now - HOUR_MS, ended_at: null };
      const incident = { alert_id: alert.id, site_id: site.id, key: String(now), ...times };
      await addIncident(directory.db, { ...incident, facts: { value: 90, expected: 9 } }, now);
      await server.app.runJob('tell-alerts');
      await server.app.runJob('send-mail');
    },
  };
}
