// What the readers of server/api/access/ are given, and how names appear in their rows.
import type { Config } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { oneLine } from '../../messages/mail/names.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { Site } from '../../sites/sites.ts';
import type { Role } from '../../vocabulary/accounts/roles.ts';
import { isolated } from '../../vocabulary/numbers/format.ts';
import type { AccessRow } from '../../vocabulary/settings/access.ts';

export type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefused'>; config: Config };

/** `by`: who looks, and would end something. Undefined for the operator, who only reads. */
export type Asked = { site: Site; by?: { userId: string; role: Role }; now: number };

/** Of one kind, which the caller adds. */
export type Found = Omit<AccessRow, 'kind' | 'of'> & { of?: string };
export type Reader = (parts: Parts, asked: Asked) => Promise<Found[]>;

const MAX_WHO = 254;
const MAX_NAME = 60;

export const whoOf = (text: string): string => isolated(oneLine(text, MAX_WHO));
/** For the name of a report, a segment or a value within words. */
export const named = (text: string): string => isolated(oneLine(text, MAX_NAME));

/** For what only owners may end. */
export const endOfOwner = (
  { by }: Asked,
  { does, otherwise }: { does: string | null; otherwise: string },
): Pick<Found, 'may_end' | 'note'> =>
  by?.role === 'owner' ? { may_end: true, note: does } : { may_end: false, note: otherwise };
