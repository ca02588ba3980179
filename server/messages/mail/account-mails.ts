// Mails about what an account owns and pays: its sites, its plan, its end.
import { EXPORT_KEPT_MS } from '../../vocabulary/settings/exports.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { kind } from './content.ts';
import { shownName } from './names.ts';

export const ACCOUNT_MAILS = {
  site_offered: kind<{ account: string; domain: string; token: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, domain, token }) => ({
      subject: t('Take over {domain} on Footfall', { domain: shownName(domain) }),
      paragraphs: [
        t('“{account}” offers you the site {domain} on Footfall, with everything that was counted for it.', {
          account: shownName(account),
          domain: shownName(domain),
        }),
        t(
          'You choose the account that takes it. The link works once, for seven days. If you do not expect it, ignore this mail.',
        ),
      ],
      button: { label: t('See the offer'), path: `/transfer/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { account: 'Example & Sons', domain: 'example.com', token: 'sample' },
  }),
  domain_lost: kind<{ domain: string; name: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ domain, name }) => ({
      subject: t('Footfall no longer counts {domain} for you', { domain: shownName(domain) }),
      paragraphs: [
        t(
          'Another account has proved that {domain} is its own, so it has the domain now. Your site keeps everything that was counted, and is called {name}. It counts nothing any more.',
          { domain: shownName(domain), name: shownName(name) },
        ),
        t('If the domain is yours, remove the other account’s proof from it, then add the site again and verify it.'),
      ],
      button: { label: t('Add the site again'), path: '/sites/new' },
    }),
    sample: { domain: 'example.com', name: 'example.com.until-2026-11-22' },
  }),
  trial_ends: kind<{ account: string; days: number }>({
    about: 'plan',
    usefulForMs: DAY_MS,
    write: ({ account, days }) => {
      const isOver = days === 0;
      const named = { account: shownName(account) };
      return {
        subject: isOver
          ? t('Your trial of Footfall has ended')
          : tn(days, 'Your trial of Footfall ends within a day', 'Your trial of Footfall ends in {n} days'),
        paragraphs: [
          isOver
            ? t('The trial of “{account}” has ended.', named)
            : tn(
                days,
                'The trial of “{account}” ends within a day.',
                'The trial of “{account}” ends in {n} days.',
                named,
              ),
          isOver
            ? t(
                'Your sites are still counted, so no data is lost. The dashboard opens again as soon as you choose a plan.',
              )
            : t(
                'After that your sites are still counted, so no data is lost. The dashboard opens again as soon as you choose a plan.',
              ),
        ],
        button: { label: t('Choose a plan'), path: '/settings/plan' },
      };
    },
    sample: { account: 'Example & Sons', days: 3 },
  }),
  payment_failed: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ account, until }) => ({
      subject: t('Your payment for Footfall failed'),
      paragraphs: [
        t('The last payment for “{account}” failed. Everything still works until {until}.', {
          account: shownName(account),
          until: dayOf(until),
        }),
        t(
          'Check your payment method. After that day your sites are still counted, but the dashboard is closed until you pay.',
        ),
      ],
      button: { label: t('Update the payment method'), path: '/settings/plan' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  plan_ended: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ account, until }) => ({
      subject: t('Your plan of Footfall has ended'),
      paragraphs: [
        t('The plan of “{account}” ended on {until}.', { account: shownName(account), until: dayOf(until) }),
        t('Nothing is deleted, and your sites are still counted. Subscribe at any time to see everything again.'),
      ],
      button: { label: t('See the plans'), path: '/settings/plan' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  export_ready: kind<{ what: string }>({
    about: 'account',
    usefulForMs: EXPORT_KEPT_MS,
    write: ({ what }) => ({
      subject:
        what === ''
          ? t('Your export of Footfall is ready')
          : t('The export of {what} is ready', { what: shownName(what) }),
      paragraphs: [t('The file that you asked for is ready to be downloaded. It is kept for a day.')],
      button: { label: t('Download it'), path: '/settings/account' },
    }),
    sample: { what: 'example.com' },
  }),
  deletion_asked: kind<{ account: string; until: number }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, until }) => ({
      subject: t('“{account}” will be deleted from Footfall', { account: shownName(account) }),
      paragraphs: [
        t(
          'An owner of “{account}” asked to delete the account. On {until} it is deleted with its sites and everything that was counted for them.',
          { account: shownName(account), until: dayOf(until) },
        ),
        t('Until then everything works as before, and every owner can log in and keep the account.'),
      ],
      button: { label: t('Keep the account'), path: '/settings/account' },
    }),
    sample: { account: 'Example & Sons', until: Date.UTC(2026, 11, 6) },
  }),
  account_deleted: kind<{ account: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    isForgotten: true,
    write: ({ account }) => ({
      subject: t('“{account}” was deleted from Footfall', { account: shownName(account) }),
      paragraphs: [
        t(
          'The account “{account}” was deleted, with its sites, everything that was counted for them, and its subscription.',
          { account: shownName(account) },
        ),
        t('Remove the snippet from your pages: nothing counts them any more.'),
      ],
    }),
    sample: { account: 'Example & Sons' },
  }),
};
