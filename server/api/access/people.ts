// Those who see a site when they log in, and those who would: people, invitations, single sign-on, and an offer to move the site.
import { t, texts, tn } from '../../vocabulary/habits/messages.ts';
import { listInvitations } from '../../accounts/people/invitations.ts';
import { listMembers, type Place } from '../../accounts/people/people.ts';
import { lastSeen } from '../../accounts/sign-in/own-sessions.ts';
import { accountOfIssuer, DEFAULT_ROLE } from '../../accounts/sign-in/single-sign-on/oidc-people.ts';
import { oidcOf } from '../../config.ts';
import { mayDo } from '../../sites/access.ts';
import { limitsMembers } from '../../sites/sharing/member-limits.ts';
import type { Site } from '../../sites/sites.ts';
import { openOffer } from '../../sites/transfers.ts';
import type { Role } from '../../vocabulary/accounts/roles.ts';
import { date } from '../../vocabulary/numbers/format.ts';
import { type Asked, endOfOwner, type Found, named, type Reader, whoOf } from './asked.ts';

const sees = ({ role, siteIds }: Place, { id }: Site) => mayDo(role, 'read') && (siteIds?.includes(id) ?? true);

function roleWords({ role, siteIds }: Place, { settings }: Site): string {
  if (role === 'owner') return t('Owner: sees everything, and manages the account');
  if (role === 'admin') return t('Admin: sees everything, and changes settings');
  const others = (siteIds?.length ?? 0) - 1;
  const isLimited = limitsMembers(settings);
  if (siteIds === null)
    return isLimited ? t('Viewer of all sites: sees no small numbers') : t('Viewer of all sites: sees everything');
  if (others === 0)
    return isLimited
      ? t('Viewer of this site alone: sees no small numbers')
      : t('Viewer of this site alone: sees everything');
  return isLimited
    ? tn(
        others,
        'Viewer of this site and {n} more: sees no small numbers',
        'Viewer of this site and {n} more: sees no small numbers',
      )
    : tn(
        others,
        'Viewer of this site and {n} more: sees everything',
        'Viewer of this site and {n} more: sees everything',
      );
}

export const people: Reader = async ({ directory }, { site, by }) => {
  const [members, seenAt] = await Promise.all([
    listMembers(directory, site.account_id),
    lastSeen(directory, site.account_id),
  ]);
  const owners = members.filter(({ role }) => role === 'owner').length;
  return members
    .filter((member) => sees(member, site))
    .map(({ userId, email, role, siteIds }): Found => {
      const isSelf = userId === by?.userId;
      const keeps = siteIds?.filter((id) => id !== site.id) ?? [];
      return {
        id: userId,
        who: whoOf(email),
        how: roleWords({ role, siteIds }, site),
        last_used_at: seenAt.get(userId) ?? null,
        ...endOfPerson(by?.role, { role, isSelf, isLast: role === 'owner' && owners === 1, keeps: keeps.length }),
        ...(keeps.length > 0 && { keeps }),
        ...(isSelf && { is_self: true }),
      };
    });
};

type Ending = { role: Place['role']; isSelf: boolean; isLast: boolean; keeps: number };

function endOfPerson(own: Place['role'] | undefined, { role, isSelf, isLast, keeps }: Ending) {
  if (own === undefined) return { may_end: false, note: null };
  if (isLast) return { may_end: false, note: t('An account needs an owner.') };
  if (role === 'owner' && own !== 'owner') return { may_end: false, note: t('Only an owner can remove an owner.') };
  if (isSelf) return { may_end: true, note: t('You leave the account, with all of its sites.') };
  if (keeps > 0) return { may_end: true, note: t('They keep their other sites.') };
  return { may_end: true, note: t('They leave the account, with all of its sites.') };
}

export const invitations: Reader = async ({ directory }, { site, by, now }) => {
  const open = await listInvitations(directory, site.account_id, now);
  return open
    .filter((invitation) => sees(invitation, site))
    .map(({ id, email, role, siteIds, expiresAt }) => {
      const mayEnd = by !== undefined && (by.role === 'owner' || role !== 'owner');
      return {
        id,
        who: email === null ? t('Anybody with its link') : whoOf(email),
        how: `${roleWords({ role, siteIds }, site)} · ${t('open until {date}', { date: date(expiresAt) })}`,
        last_used_at: null,
        may_end: mayEnd,
        note: by && !mayEnd ? t('Only an owner can withdraw the invitation of an owner.') : null,
      };
    });
};

/** Inside a sentence. */
const AS_ROLE: Record<Role, string> = texts({ owner: 'owner', admin: 'admin', billing: 'billing', viewer: 'viewer' });

export const singleSignOn: Reader = async ({ directory, config }, { site }) => {
  const oidc = oidcOf(config);
  if (!oidc || (await accountOfIssuer(directory)) !== site.account_id) return [];
  const { allowedDomains, name, roleBy } = oidc;
  const roles = new Set(roleBy?.roles.map(({ role }) => role) ?? [DEFAULT_ROLE]);
  if (![...roles].some((role) => mayDo(role, 'read'))) return [];
  return [
    {
      id: 'oidc',
      who: t('Everybody with an address at {domains}', { domains: allowedDomains.join(', ') }),
      how: t('Join the account at their first log-in with {name}, as {roles}', {
        name: named(name),
        roles: [...roles].map((role) => AS_ROLE[role]).join(', '),
      }),
      last_used_at: null,
      may_end: false,
      note: t('Set by whoever runs this server, as OIDC_ALLOWED_DOMAINS.'),
    },
  ];
};

export const transfer: Reader = async ({ directory }, asked: Asked) => {
  const offer = await openOffer(directory, asked.site.id, asked.now);
  if (!offer) return [];
  const end = endOfOwner(asked, { does: null, otherwise: t('An owner can withdraw the offer.') });
  const how = t('May take the site into another account, until {date}', { date: date(offer.expiresAt) });
  return [{ id: offer.id, who: whoOf(offer.email), how, last_used_at: null, ...end }];
};
