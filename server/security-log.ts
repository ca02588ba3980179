// The security log: a line for each sign-in, refusal, key, token, link, role, deletion and operator's command. Lines hold ids alone,
// never an address, an e-mail address or a secret. Filter the log for `"msg":"security"` to see them.
import type { Log } from './log.ts';
import { MINUTE_MS } from './vocabulary/time.ts';

type Ids<Name extends string> = Record<`${Name}_id`, string>;

/** Every event, with what its line says. Names that end in `_refused` can be caused by anybody. */
export type SecurityEvents = {
  sign_in: Ids<'user'> & { browser: 'known' | 'new' };
  /** `user_id` where the e-mail address is somebody's. */
  sign_in_refused: Partial<Ids<'user'>>;
  sign_out: Ids<'user'>;
  /** Something that carries a session came from a page of another address. */
  origin_refused: object;
  password_changed: Ids<'user'>;
  password_change_refused: Ids<'user'>;
  account_made: Ids<'account' | 'user'>;
  key_made: Ids<'account' | 'key' | 'user'>;
  key_revoked: Ids<'account' | 'key' | 'user'>;
  key_refused: object;
  ingest_token_made: Ids<'account' | 'site' | 'token' | 'user'>;
  ingest_token_revoked: Ids<'account' | 'site' | 'token' | 'user'>;
  ingest_token_refused: object;
  share_link_made: Ids<'account' | 'site' | 'link' | 'user'>;
  share_link_revoked: Ids<'account' | 'site' | 'link' | 'user'>;
  share_token_refused: object;
  site_deleted: Ids<'account' | 'site' | 'user'>;
  /** A command of `manage` that changes something, with the ids of what it touched. */
  command: { command: string; outcome: 'done' | 'refused' } & Partial<Ids<'account' | 'site' | 'key' | 'token'>>;
};
export type SecurityEvent = keyof SecurityEvents;

/** Limits that keep somebody out. */
export type LimitName =
  | 'sign_in_by_address'
  | 'sign_in_by_address_and_account'
  | 'sign_in_by_account'
  | 'sign_in_by_browser'
  | 'sign_in_queue'
  | 'sign_up_by_address'
  | 'wrong_keys'
  | 'wrong_ingest_tokens'
  | 'wrong_share_tokens'
  | 'api_rate'
  | 'flood_of_events'
  | 'flood_of_visitors';

export type SecurityLog = {
  note<Event extends SecurityEvent>(event: Event, says: SecurityEvents[Event]): void;
  /** A limit kept somebody out: said once a minute for each limit. */
  limited(limit: LimitName): void;
};

/** Lines a minute for each event that anybody can cause: a flood must not fill the disk. */
export const REFUSALS_A_MINUTE = 60;

export function openSecurityLog({ log, now }: { log: Log; now(): number }): SecurityLog {
  const minutes = new Map<string, { startedAt: number; lines: number; unsaid: number }>();

  /** Whether there is room for a line, and how many were left out since the last one. */
  function takeLine(name: string, linesAMinute: number): { isSaid: boolean; unsaid: number } {
    const time = now();
    const minute = minutes.get(name);
    if (!minute || time - minute.startedAt >= MINUTE_MS || time < minute.startedAt) {
      minutes.set(name, { startedAt: time, lines: 1, unsaid: 0 });
      return { isSaid: true, unsaid: minute?.unsaid ?? 0 };
    }
    const isSaid = minute.lines < linesAMinute;
    if (isSaid) minute.lines += 1;
    else minute.unsaid += 1;
    return { isSaid, unsaid: 0 };
  }

  return {
    note: (event, says) => {
      const line: object = { event, ...says };
      if (!event.endsWith('_refused')) {
        log.info(line, 'security');
        return;
      }
      const { isSaid, unsaid } = takeLine(event, REFUSALS_A_MINUTE);
      if (isSaid) log.warn({ ...line, ...(unsaid > 0 && { unlogged_before: unsaid }) }, 'security');
    },
    limited: (limit) => {
      const { isSaid, unsaid } = takeLine(`limit ${limit}`, 1);
      if (isSaid) log.warn({ event: 'limit', limit, ...(unsaid > 0 && { unlogged_before: unsaid }) }, 'security');
    },
  };
}
