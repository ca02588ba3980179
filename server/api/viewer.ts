// Who calls: somebody with a session, or with a share link's token.
import type { IncomingHttpHeaders } from 'node:http';
import { chosenAccount } from '../accounts/chosen-account.ts';
import { lacksFactor } from '../accounts/sign-in/factors/required-factor.ts';
import { billingOf } from '../config.ts';
import { Refusal } from '../errors.ts';
import { siteFor, type Viewer } from '../sites/access.ts';
import { DEMO_TOKEN, demoLink } from '../sites/sharing/demo.ts';
import { findDraft, isDraftToken } from '../sites/sharing/drafts.ts';
import { publicDashboards } from '../sites/sharing/public-links.ts';
import { type SharedLink, siteOfPublicDomain, siteOfShareToken } from '../sites/sharing/share.ts';
import type { Services } from './trpc.ts';
import { message, say } from '../vocabulary/habits/messages.ts';

/** The header with the token of a share link, or the domain of a public dashboard. */
export const SHARE_TOKEN = 'x-share-token';
const LOCKED = message('This dashboard asks for a password.');

type AddressHash = () => string | Promise<string>;

/**
 * Returns the caller, identified by share token or session. A share token takes precedence, so that owners see a link's page as its viewers
 * do. A wrong token counts against the caller's address.
 */
export async function readViewer(
  services: Services,
  headers: IncomingHttpHeaders,
  addressHash: AddressHash,
): Promise<Viewer | undefined> {
  const token = headers[SHARE_TOKEN];
  if (typeof token !== 'string') return readMember(services, headers);
  const opened = await openedLink(services, { token, headers });
  if (!opened) await services.wrongTokens.count('share_token', { token, addressHash });
  if (!opened || opened.refusal) return undefined;
  const { linkId, siteId, shows, rules } = opened.link;
  return { kind: 'share', linkId, siteId, shows, rules };
}

async function readMember(services: Services, headers: IncomingHttpHeaders): Promise<Viewer | undefined> {
  const session = await services.auth.identify(headers);
  if (!session) return undefined;
  const accountId = chosenAccount(headers);
  const lacks = !session.issuer?.hasBothFactors && (await lacksFactor(services.directory, session.userId));
  return { kind: 'user', userId: session.userId, lacksFactor: lacks, ...(accountId !== undefined && { accountId }) };
}

type Asked = { token: string; headers: IncomingHttpHeaders };
/** `refusal`: why the link shows nothing to this caller now. */
type OpenedLink = { link: SharedLink; refusal?: Refusal };

/** Undefined for a token that no link has, and a domain without a public dashboard. */
export async function openedLink(services: Services, { token, headers }: Asked): Promise<OpenedLink | undefined> {
  const { directory, config } = services;
  const now = services.now();
  if (token === DEMO_TOKEN) {
    const link = await demoLink(services);
    return link && { link };
  }
  if (isDraftToken(token)) {
    const draft = await findDraft(directory, token, now);
    return draft && (await isMaker(services, headers, draft)) ? { link: draft.link } : undefined;
  }
  const hasPublic = publicDashboards(config) !== 'off';
  const link =
    (await siteOfShareToken(directory, token, now)) ??
    (hasPublic ? await siteOfPublicDomain(directory, token, now) : undefined);
  if (!link) return undefined;
  if (link.closed !== undefined) return { link, refusal: new Refusal('forbidden', say(link.closed)) };
  const isLocked = !services.unlocked.isOpen(link, headers, now);
  return { link, ...(isLocked && { refusal: new Refusal('unauthorized', say(LOCKED)) }) };
}

/** True for the person who makes the draft, as long as they may make links. */
async function isMaker(
  services: Services,
  headers: IncomingHttpHeaders,
  { link, userId }: { link: SharedLink; userId: string },
): Promise<boolean> {
  const member = await readMember(services, headers);
  if (member?.kind !== 'user' || member.userId !== userId) return false;
  const options = { now: services.now(), billing: billingOf(services.config) };
  return siteFor(services.directory, member, { siteId: link.siteId }, 'admin', options).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refusal) return false;
      throw error;
    },
  );
}
