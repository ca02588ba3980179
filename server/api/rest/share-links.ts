// Share links in the API.
import type { z } from 'zod';
import { logAction } from '../../accounts/account-log.ts';
import { hashLinkPassword } from '../../accounts/sign-in/passwords/link-password.ts';
import { ownOrigin } from '../../config.ts';
import { checkOffered } from '../../sites/sharing/public-links.ts';
import {
  createShareLink,
  listShareLinks,
  revokeShareLink,
  siteOfShareLink,
  toPublicLink,
} from '../../sites/sharing/share.ts';
import type { Call, Result } from './operations.ts';
import type * as fields from './requests.ts';

export async function makeLink(call: Call<unknown, z.output<typeof fields.shareLink>>): Promise<Result> {
  const { services, body, now, readSite } = call;
  const { site_id, password, expires_at, ...content } = body;
  const { id: siteId, domain } = await readSite(site_id);
  checkOffered(services.config, content);
  const wish = {
    siteId,
    ...content,
    expires_at: expires_at ? Date.parse(expires_at) : null,
    ...(password && { passwordHash: await hashLinkPassword(password) }),
  };
  const { id, name, token } = await createShareLink(services.directory, wish, now);
  await record(call, 'share_link_made', { site_id: siteId, link_id: id, name, domain });
  const made = (await listShareLinks(services.directory, siteId)).find((link) => link.id === id);
  return { data: { ...(made && toPublicLink(made)), url: `${ownOrigin(services.config)}/share/${token}` } };
}

export async function endLink(call: Call<{ link_id: string }, unknown>): Promise<Result> {
  const { services, accountId, now, query } = call;
  const { siteId, domain } = await siteOfShareLink(services.directory, { accountId, linkId: query.link_id });
  const { name } = await revokeShareLink(services.directory, { siteId, linkId: query.link_id }, now);
  await record(call, 'share_link_revoked', { site_id: siteId, link_id: query.link_id, name, domain });
  return { data: { revoked: query.link_id } };
}

type About = { site_id: string; link_id: string; name: string; domain: string };

async function record(
  { services, accountId, now }: Call<unknown, unknown>,
  action: 'share_link_made' | 'share_link_revoked',
  { site_id, link_id, name, domain }: About,
): Promise<void> {
  services.security.note(action, { account_id: accountId, site_id, link_id, user_id: '' });
  await logAction(services.directory.db, { action, account_id: accountId, actor: 'key', name, domain }, now);
}
