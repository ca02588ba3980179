// Mails about what an account owns and pays: its sites, its plan, its end.
import { plural } from '../../vocabulary/habits/formatters.ts';
import { EXPORT_KEPT_MS } from '../../vocabulary/settings/exports.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { kind } from './content.ts';
import { shownName } from './names.ts';

export const ACCOUNT_MAILS = {
  site_offered: kind<{ account: string; domain: string; token: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, domain, token }) => ({
      subject: `Take over ${shownName(domain)} on Footfall`,
      paragraphs: [
        `“${shownName(account)}” offers you the site ${shownName(domain)} on Footfall, with everything that was counted for it.`,
        'You choose the account that takes it. The link works once, for seven days. If you do not expect it, ignore this mail.',
      ],
      button: { label: 'See the offer', path: `/transfer/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { account: 'Example & Sons', domain: 'example.com', token: 'sample' },
  }),
  domain_lost: kind<{ domain: string; name: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ domain, name }) => ({
      subject: `Footfall no longer counts ${shownName(domain)} for you`,
      paragraphs: [
        `Another account has proved that ${shownName(domain)} is its own, so it has the domain now. Your site keeps everything that was counted, and is called ${shownName(name)}. It counts nothing any more.`,
        'If the domain is yours, remove the other account’s proof from it, then add the site again and verify it.',
      ],
      button: { label: 'Add the site again', path: '/sites/new' },
    }),
    sample: { domain: 'example.com', name: 'example.com.until-2026-11-22' },
  }),
  trial_ends: kind<{ account: string; days: number }>({
    about: 'plan',
    usefulForMs: DAY_MS,
    write: ({ account, days }) => {
      const end = days === 0 ? 'has ended' : plural(days, 'ends within a day', `ends in ${days} days`);
      return {
        subject: `Your trial of Footfall ${end}`,
        paragraphs: [
          `The trial of “${shownName(account)}” ${end}.`,
          days === 0
            ? 'Your sites are still counted, so no data is lost. The dashboard opens again as soon as you choose a plan.'
            : 'After that your sites are still counted, so no data is lost. The dashboard opens again as soon as you choose a plan.',
        ],
        button: { label: 'Choose a plan', path: '/settings/plan' },
      };
    },
    sample: { account: 'Example & Sons', days: 3 },
  }),
  payment_failed: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ account, until }) => ({
      subject: 'Your payment for Footfall failed',
      paragraphs: [
        `The last payment for “${shownName(account)}” failed. Everything still works until ${dayOf(until)}.`,
        'Check your payment method. After that day your sites are still counted, but the dashboard is closed until you pay.',
      ],
      button: { label: 'Update the payment method', path: '/settings/plan' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  plan_ended: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ account, until }) => ({
      subject: 'Your plan of Footfall has ended',
      paragraphs: [
        `The plan of “${shownName(account)}” ended on ${dayOf(until)}.`,
        'Nothing is deleted, and your sites are still counted. Subscribe at any time to see everything again.',
      ],
      button: { label: 'See the plans', path: '/settings/plan' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  export_ready: kind<{ what: string }>({
    about: 'account',
    usefulForMs: EXPORT_KEPT_MS,
    write: ({ what }) => ({
      subject: what === '' ? 'Your export of Footfall is ready' : `The export of ${shownName(what)} is ready`,
      paragraphs: ['The file that you asked for is ready to be downloaded. It is kept for a day.'],
      button: { label: 'Download it', path: '/settings/account' },
    }),
    sample: { what: 'example.com' },
  }),
  deletion_asked: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, until }) => ({
      subject: `“${shownName(account)}” will be deleted from Footfall`,
      paragraphs: [
        `An owner of “${shownName(account)}” asked to delete the account. On ${dayOf(until)} it is deleted with its sites and everything that was counted for them.`,
        'Until then everything works as before, and every owner can log in and keep the account.',
      ],
      button: { label: 'Keep the account', path: '/settings/account' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  account_deleted: kind<{ account: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    isForgotten: true,
    write: ({ account }) => ({
      subject: `“${shownName(account)}” was deleted from Footfall`,
      paragraphs: [
        `The account “${shownName(account)}” was deleted, with its sites, everything that was counted for them, and its subscription.`,
        'Remove the snippet from your pages: nothing counts them any more.',
      ],
    }),
    sample: { account: 'Example & Sons' },
  }),
};
