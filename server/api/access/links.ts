// What shows a site without a login: share links, the demo, the page for its visitors, keys, and files of exports.
import { listExports } from '../../accounts/exports.ts';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import { listKeys } from '../../accounts/keys.ts';
import { billingOf } from '../../config.ts';
import { listSegments } from '../../sites/definitions/segments.ts';
import { demoLink } from '../../sites/sharing/demo.ts';
import { listShareLinks } from '../../sites/sharing/share.ts';
import { transparencyIn } from '../../sites/sharing/transparency.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { date } from '../../vocabulary/numbers/format.ts';
import { EXPORT_KEPT_MS } from '../../vocabulary/settings/exports.ts';
import { linkSentence } from '../../vocabulary/settings/link-words.ts';
import { type Asked, endOfOwner, named, type Reader, whoOf } from './asked.ts';

const mayEnd = ({ by }: Asked) => ({ may_end: by !== undefined, note: null });

export const links: Reader = async ({ directory }, asked) => {
  const { site, now } = asked;
  const [all, known] = await Promise.all([
    listShareLinks(directory, site.id),
    listSegments(directory, { siteId: site.id }),
  ]);
  const segments = new Map(known.map(({ id, name }) => [id, name]));
  return all.map((link) => {
    const views = link.uses.views.reduce((sum, one) => sum + one.views, 0);
    const opened = views === 0 ? [] : [tn(views, 'opened once in 30 days', 'opened {n} times in 30 days')];
    return {
      id: link.id,
      who: whoOf(link.name),
      how: [linkSentence(link, { now, segments, show: named }), ...opened].join(' · '),
      last_used_at: link.uses.last_used_at,
      ...mayEnd(asked),
    };
  });
};

export const demo: Reader = async ({ directory, config }, { site }) => {
  const link = await demoLink({ directory, config });
  if (link?.siteId !== site.id) return [];
  const note = t('Switched on by whoever runs this server, with DEMO=on.');
  const how = t('Sees everything at /share/demo');
  return [{ id: 'demo', who: t('Everybody'), how, last_used_at: null, may_end: false, note }];
};

export const page: Reader = (_parts, asked) => {
  const { settings, lost_at, domain } = asked.site;
  if (!transparencyIn(settings).shown || lost_at !== null) return Promise.resolve([]);
  const how = t('Reads at {address} what is counted, without any numbers', { address: `/share/${domain}/privacy` });
  return Promise.resolve([{ id: 'page', who: t('Everybody'), how, last_used_at: null, ...mayEnd(asked) }]);
};

export const keys: Reader = async ({ directory, config }, asked) => {
  const account = await accountOf(asked, directory);
  const { includesApi } = effectivePlan(account, asked.now, { billing: billingOf(config) });
  const end = { does: t('It stops for all sites of the account.'), otherwise: t('An owner can revoke it.') };
  return (await listKeys(directory, asked.site.account_id)).map(({ id, name, last_used_at }) => ({
    id,
    who: whoOf(name),
    how: includesApi
      ? t('Reads everything of all sites, by the API and as an AI assistant (MCP)')
      : t('Refused at the moment: the plan has no API'),
    last_used_at,
    ...endOfOwner(asked, end),
  }));
};

const accountOf = ({ site }: Asked, { db }: Parameters<Reader>[0]['directory']) =>
  db.selectFrom('accounts').selectAll().where('id', '=', site.account_id).executeTakeFirstOrThrow();

/** Only owners of the account can download them. */
export const exportFiles: Reader = async ({ directory }, asked) => {
  const { site, now } = asked;
  const all = await listExports(directory, { accountId: site.account_id }, now);
  const own = all.filter((one) => one.state !== 'failed' && (one.site_id === null || one.site_id === site.id));
  if (own.length === 0) return [];
  const makers = directory.db.selectFrom('users').select(['id', 'email']);
  const ids = own.map(({ user_id }) => user_id);
  const emails = new Map((await makers.where('id', 'in', ids).execute()).map(({ id, email }) => [id, email]));
  return own.map(({ id, user_id, kind, site_id, ready_at }) => {
    const email = emails.get(user_id);
    const what = downloadWords({ isWhole: site_id === null, isSealed: kind === 'sealed' });
    return {
      id,
      who:
        email === undefined
          ? t('Owners of the account, asked for by somebody who has left')
          : t('Owners of the account, asked for by {person}', { person: whoOf(email) }),
      how:
        ready_at === null
          ? t('{what}, being made', { what })
          : t('{what}, until {date}', { what, date: date(ready_at + EXPORT_KEPT_MS) }),
      last_used_at: null,
      ...endOfOwner(asked, { does: null, otherwise: t('An owner can delete it.') }),
    };
  });
};

function downloadWords({ isWhole, isSealed }: { isWhole: boolean; isSealed: boolean }): string {
  if (isSealed)
    return isWhole
      ? t('Can download everything of all sites, encrypted for another Footfall')
      : t('Can download everything of this site, encrypted for another Footfall');
  return isWhole ? t('Can download everything of all sites') : t('Can download everything of this site');
}
