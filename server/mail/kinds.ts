// All mails that Footfall sends: what each says, and for how long it is worth sending. The development server shows them at /mails/.
import { DAY_MS, HOUR_MS } from '../vocabulary/time.ts';
import { shownName } from './names.ts';

/** Mails that people can unsubscribe from, by topic. Each text completes "No more mails …". */
export const TOPICS = {
  plan: 'about the trial and the plan’s limits',
} as const satisfies Record<string, string>;

export type Topic = keyof typeof TOPICS;

export type Content = {
  subject: string;
  paragraphs: string[];
  /** `path` starts with a slash: links lead only to this server. */
  button?: { label: string; path: string };
};

export type Kind<Data> = {
  /** `account`: people cannot unsubscribe, because it is about their access, their data or their money. */
  about: 'account' | Topic;
  /** After this time the mail is given up: a link in it would have ended, or nobody cares any more. */
  usefulForMs: number;
  /** Values of `data` may be hostile: names go through `shownName`, parts of paths through `encodeURIComponent`. */
  write(data: Data): Content;
  /** For the preview and the tests. */
  sample: Data;
};

const kind = <Data>(row: Kind<Data>): Kind<Data> => row;

export const MAIL_KINDS = {
  test: kind<Record<never, never>>({
    about: 'account',
    usefulForMs: HOUR_MS,
    write: () => ({
      subject: 'Mail from Footfall arrives',
      paragraphs: ['Somebody who runs this server tested whether it can send mail. It can.'],
      button: { label: 'Open Footfall', path: '/' },
    }),
    sample: {},
  }),
  trial_ends: kind<{ account: string; days: number }>({
    about: 'plan',
    usefulForMs: DAY_MS,
    write: ({ account, days }) => ({
      subject: days === 0 ? 'Your trial of Footfall ends today' : `Your trial of Footfall ends in ${days} days`,
      paragraphs: [
        days === 0
          ? `The trial of “${shownName(account)}” ends today.`
          : `The trial of “${shownName(account)}” ends in ${days} days.`,
        'After that your sites are still counted, so no data is lost. The dashboard opens again as soon as you choose a plan.',
      ],
      button: { label: 'Choose a plan', path: '/settings/plan' },
    }),
    sample: { account: 'Example & Sons', days: 3 },
  }),
} as const satisfies Record<string, Kind<unknown>>;

export type MailKind = keyof typeof MAIL_KINDS;
export type MailData = { [Name in MailKind]: (typeof MAIL_KINDS)[Name]['sample'] };

/** Returns undefined for a kind of another version of Footfall. */
export function kindOf(name: string): Kind<unknown> | undefined {
  return Object.hasOwn(MAIL_KINDS, name) ? MAIL_KINDS[name as MailKind] : undefined;
}
