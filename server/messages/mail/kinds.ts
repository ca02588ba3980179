// All mails that Footfall sends: what each says, and for how long it is worth sending. The development server shows them at /mails/.
import { t } from '../../vocabulary/habits/messages.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { ACCOUNT_MAILS } from './account-mails.ts';
import { type Kind, kind, type Subscription } from './content.ts';
import { LOGIN_MAILS } from './login-mails.ts';
import { NUMBER_MAILS } from './number-mails.ts';

export const MAIL_KINDS = {
  test: kind<Record<never, never>>({
    about: 'account',
    usefulForMs: HOUR_MS,
    write: () => ({
      subject: t('Mail from Footfall arrives'),
      paragraphs: [t('Somebody who runs this server tested whether it can send mail. It can.')],
      button: { label: t('Open Footfall'), path: '/' },
    }),
    sample: {},
  }),
  ...LOGIN_MAILS,
  ...ACCOUNT_MAILS,
  ...NUMBER_MAILS,
} as const satisfies Record<string, Kind<unknown>>;

export type MailKind = keyof typeof MAIL_KINDS;
export type MailData = { [Name in MailKind]: (typeof MAIL_KINDS)[Name]['sample'] };

/** Returns undefined for a kind of another version of Footfall. */
export function kindOf(name: string): Kind<unknown> | undefined {
  return Object.hasOwn(MAIL_KINDS, name) ? MAIL_KINDS[name as MailKind] : undefined;
}

/** Returns undefined for a mail that nobody can unsubscribe from. */
export function subscriptionOf({ about, listOf }: Kind<unknown>, data: unknown): Subscription | undefined {
  if (about === 'account') return undefined;
  return listOf ? `${about}:${listOf(data)}` : about;
}
