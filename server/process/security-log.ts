// The security log: one line for each sign-in, refusal, deletion, operator command, and change of a key, token, link or role. Lines hold
// only ids, never an address, an e-mail address or a secret. Filter the log for `"msg":"security"` to see them.
import type { Log } from './log.ts';
import type { OidcRefusal } from '../vocabulary/accounts/oidc.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';

type Ids<Name extends string> = Record<`${Name}_id`, string>;

/** Every event, with the fields of its line. Anybody can cause events whose names end in `_refused`. */
export type SecurityEvents = {
  sign_in: Ids<'user'> & { browser: 'known' | 'new' };
  /** Has a `user_id` if the e-mail address belongs to a user. */
  sign_in_refused: Partial<Ids<'user'>>;
  /** The password was right, and the second factor was wrong. */
  second_factor_refused: Ids<'user'>;
  passkey_refused: object;
  /** A user's first log-in through the OpenID Connect issuer. */
  issuer_linked: Ids<'user'>;
  /** Logging in through the OpenID Connect issuer failed. */
  oidc_refused: { reason: OidcRefusal };
  recovery_code_used: Ids<'user'>;
  recovery_codes_made: Ids<'user'>;
  factor_added: Ids<'user'> & { factor: 'authenticator' | 'passkey' };
  factor_removed: Ids<'user'> & { factor: 'authenticator' | 'passkey' };
  factor_required: Ids<'account' | 'user'>;
  factor_optional: Ids<'account' | 'user'>;
  sign_out: Ids<'user'>;
  /** A request with a session came from a page of another origin. */
  origin_refused: object;
  password_changed: Ids<'user'>;
  session_ended: Ids<'user'>;
  /** A link to a new password was used. */
  password_reset: Ids<'user'>;
  reset_link_refused: object;
  /** Mails to the old and the new address ask to confirm the new one. */
  email_change_asked: Ids<'user'>;
  email_changed: Ids<'user'>;
  email_link_refused: object;
  sign_up_link_refused: object;
  password_change_refused: Ids<'user'>;
  account_made: Ids<'account' | 'user'>;
  deletion_asked: Ids<'account' | 'user'>;
  deletion_taken_back: Ids<'account' | 'user'>;
  /** An account and everything in it were deleted. */
  account_deleted: Ids<'account'>;
  key_made: Ids<'account' | 'key' | 'user'>;
  key_revoked: Ids<'account' | 'key' | 'user'>;
  key_refused: object;
  ingest_token_made: Ids<'account' | 'site' | 'token' | 'user'>;
  ingest_token_revoked: Ids<'account' | 'site' | 'token' | 'user'>;
  ingest_token_refused: object;
  feed_made: Ids<'account' | 'site' | 'feed' | 'user'>;
  feed_ended: Ids<'account' | 'site' | 'feed' | 'user'>;
  feed_token_refused: object;
  share_link_made: Ids<'account' | 'site' | 'link' | 'user'>;
  share_link_revoked: Ids<'account' | 'site' | 'link' | 'user'>;
  share_link_changed: Ids<'account' | 'site' | 'link' | 'user'>;
  share_token_refused: object;
  /** A wrong password for a share link. */
  link_password_refused: Ids<'link'>;
  search_connected: Ids<'account' | 'site' | 'user'>;
  search_disconnected: Ids<'account' | 'site' | 'user'>;
  webhook_made: Ids<'account' | 'webhook' | 'user'>;
  webhook_changed: Ids<'account' | 'webhook' | 'user'>;
  webhook_rotated: Ids<'account' | 'webhook' | 'user'>;
  webhook_resumed: Ids<'account' | 'webhook' | 'user'>;
  webhook_deleted: Ids<'account' | 'webhook' | 'user'>;
  report_saved: Ids<'account' | 'site' | 'user'>;
  report_deleted: Ids<'account' | 'site' | 'user'>;
  member_invited: Ids<'account' | 'invitation' | 'user'>;
  invitation_withdrawn: Ids<'account' | 'invitation' | 'user'>;
  invitation_refused: object;
  transfer_refused: object;
  site_offered: Ids<'account' | 'site' | 'user'>;
  offer_withdrawn: Ids<'account' | 'site' | 'user'>;
  /** A site left an account, and came into another one. */
  site_given: Ids<'account' | 'site' | 'user'>;
  site_taken_over: Ids<'account' | 'site' | 'user'>;
  member_joined: Ids<'account' | 'user'>;
  member_left: Ids<'account' | 'user'>;
  role_changed: Ids<'account' | 'member' | 'user'>;
  member_removed: Ids<'account' | 'member' | 'user'>;
  login_deleted: Ids<'user'>;
  site_made: Ids<'account' | 'site' | 'user'>;
  unsubscribe_token_refused: object;
  /** The account followed its subscription in Stripe. */
  subscription_changed: Ids<'account'> & { status: string; plan: string };
  /** A message at Stripe's webhook was not signed with its secret. */
  webhook_refused: object;
  site_deleted: Ids<'account' | 'site' | 'user'>;
  exported: Ids<'account' | 'user'>;
  /** Somebody exported what is held about themselves. */
  profile_exported: Ids<'user'>;
  data_exported: Ids<'account' | 'site' | 'user'>;
  history_imported: Ids<'account' | 'site' | 'import' | 'user'>;
  import_removed: Ids<'account' | 'site' | 'import' | 'user'>;
  visits_purged: Ids<'account' | 'site' | 'purge' | 'user'>;
  purge_undone: Ids<'account' | 'site' | 'purge' | 'user'>;
  domain_verified: Ids<'account' | 'site' | 'user'>;
  /** The site of another account lost its domain by that. */
  domain_taken: Ids<'account' | 'site'>;
  /** A command of `manage` that changes something, with the ids that it touched. */
  command: { command: string; outcome: 'done' | 'refused' } & Partial<
    Ids<'account' | 'site' | 'key' | 'token' | 'link' | 'import' | 'user'>
  >;
};
export type SecurityEvent = keyof SecurityEvents;

/** Rate limits that can keep somebody out. */
export type LimitName =
  | 'sign_in_by_address'
  | 'sign_in_by_address_and_account'
  | 'sign_in_by_account'
  | 'sign_in_by_browser'
  | 'sign_in_queue'
  | 'link_by_address'
  | 'link_by_address_and_link'
  | 'link_by_link'
  | 'sign_up_by_address'
  | 'reset_by_address'
  | 'email_change_by_user'
  | 'email_change_to_address'
  | 'wrong_reset_links'
  | 'wrong_email_links'
  | 'wrong_sign_up_links'
  | 'passkey_by_address'
  | 'oidc_by_address'
  | 'second_factor_by_user'
  | 'second_factor_by_browser'
  | 'wrong_keys'
  | 'wrong_ingest_tokens'
  | 'wrong_share_tokens'
  | 'wrong_feed_tokens'
  | 'wrong_invitations'
  | 'wrong_transfers'
  | 'wrong_unsubscribe_tokens'
  | 'api_rate'
  | 'flood_of_events'
  | 'flood_of_visitors';

export type SecurityLog = {
  note<Event extends SecurityEvent>(event: Event, fields: SecurityEvents[Event]): void;
  /** Logs that a limit kept somebody out, at most once a minute per limit. */
  limited(limit: LimitName): void;
};

/** Lines per minute for each event that anybody can cause, so that a flood cannot fill the disk. */
const REFUSALS_A_MINUTE = 60;

export function openSecurityLog({ log, now }: { log: Log; now(): number }): SecurityLog {
  const minutes = new Map<string, { startedAt: number; lines: number; unlogged: number }>();

  /** Counts a line against its limit. `unlogged`: lines that were left out since the last logged one. */
  function takeLine(name: string, linesPerMinute: number): { isLogged: boolean; unlogged: number } {
    const time = now();
    const minute = minutes.get(name);
    if (!minute || time - minute.startedAt >= MINUTE_MS || time < minute.startedAt) {
      minutes.set(name, { startedAt: time, lines: 1, unlogged: 0 });
      return { isLogged: true, unlogged: minute?.unlogged ?? 0 };
    }
    const isLogged = minute.lines < linesPerMinute;
    if (isLogged) minute.lines += 1;
    else minute.unlogged += 1;
    return { isLogged, unlogged: 0 };
  }

  return {
    note: (event, fields) => {
      const line: object = { event, ...fields };
      if (!event.endsWith('_refused')) {
        log.info(line, 'security');
        return;
      }
      const { isLogged, unlogged } = takeLine(event, REFUSALS_A_MINUTE);
      if (isLogged) log.warn({ ...line, ...(unlogged > 0 && { unlogged_before: unlogged }) }, 'security');
    },
    limited: (limit) => {
      const { isLogged, unlogged } = takeLine(`limit ${limit}`, 1);
      if (isLogged) log.warn({ event: 'limit', limit, ...(unlogged > 0 && { unlogged_before: unlogged }) }, 'security');
    },
  };
}
