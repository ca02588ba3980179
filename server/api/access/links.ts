// What shows a site without a login: share links, the demo, the page for its visitors, keys, and files of exports.
import { listExports } from '../../accounts/exports.ts';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import { listKeys } from '../../accounts/keys.ts';
import { billingOf } from '../../config.ts';
import { listSegments } from '../../sites/definitions/segments.ts';
import { demoLink } from '../../sites/sharing/demo.ts';
import { listShareLinks } from '../../sites/sharing/share.ts';
import { transparencyIn } from '../../sites/sharing/transparency.ts';
import { date, times } from '../../vocabulary/numbers/format.ts';
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
    const opened = views === 0 ? [] : [`opened ${times(views)} in 30 days`];
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
  const note = 'Switched on by whoever runs this server, with DEMO=on.';
  return [
    { id: 'demo', who: 'Everybody', how: 'Sees everything at /share/demo', last_used_at: null, may_end: false, note },
  ];
};

export const page: Reader = (_parts, asked) => {
  const { settings, lost_at, domain } = asked.site;
  if (!transparencyIn(settings).shown || lost_at !== null) return Promise.resolve([]);
  const how = `Reads at /share/${domain}/privacy what is counted, without any numbers`;
  return Promise.resolve([{ id: 'page', who: 'Everybody', how, last_used_at: null, ...mayEnd(asked) }]);
};

export const keys: Reader = async ({ directory, config }, asked) => {
  const account = await accountOf(asked, directory);
  const { includesApi } = effectivePlan(account, asked.now, { billing: billingOf(config) });
  const end = { does: 'It stops for all sites of the account.', otherwise: 'An owner can revoke it.' };
  return (await listKeys(directory, asked.site.account_id)).map(({ id, name, last_used_at }) => ({
    id,
    who: whoOf(name),
    how: includesApi
      ? 'Reads everything of all sites, by the API and as an AI assistant (MCP)'
      : 'Refused at the moment: the plan has no API',
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
    const what = site_id === null ? 'all sites' : 'this site';
    const whom = kind === 'sealed' ? ', encrypted for another Footfall' : '';
    const until = ready_at === null ? 'being made' : `until ${date(ready_at + EXPORT_KEPT_MS)}`;
    return {
      id,
      who: `Owners of the account, asked for by ${whoOf(emails.get(user_id) ?? 'somebody who has left')}`,
      how: `Can download everything of ${what}${whom}, ${until}`,
      last_used_at: null,
      ...endOfOwner(asked, { does: null, otherwise: 'An owner can delete it.' }),
    };
  });
};
