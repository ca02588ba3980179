// All mails that Footfall sends: what each says, and for how long it is worth sending. The development server shows them at /mails/.
import { type Happened, summaryOf } from '../vocabulary/alert-words.ts';
import { SEARCH_FAILURES } from '../vocabulary/search-console.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../vocabulary/time.ts';
import { shownName, shownSentence } from './names.ts';

/** Mails that people can unsubscribe from, by topic. Each text completes "No more mails …". */
export const TOPICS = {
  plan: 'about the trial and the plan’s limits',
  reports: 'with this report',
  alert: 'of this alert',
} as const satisfies Record<string, string>;

export type Topic = keyof typeof TOPICS;
/** What people unsubscribe from: a topic, or one list of it, such as one alert: `alert:acct_…__alert_…`. */
export type Subscription = Topic | `${Topic}:${string}`;

export type Content = {
  subject: string;
  paragraphs: string[];
  /** Follow the paragraphs. */
  blocks?: Block[];
  /** `path` starts with a slash: links lead only to this server. */
  button?: { label: string; path: string };
  /** Why somebody gets the mail, if it is not because of their account. */
  reason?: string;
};

type Verdict = 'good' | 'bad' | 'same';
/** A row of a table: a name, its value, and how it changed. */
export type Row = {
  name: string;
  value: string;
  change?: { text: string; verdict: Verdict } | undefined;
  /** Where the name leads. Starts with a slash. */
  path?: string;
};

export type Block =
  /** One large figure. `says`: what changed. */
  | { kind: 'figure'; label: string; value: string; says?: { text: string; verdict: Verdict } | undefined }
  /** `png`: in base64, 2 pixels for each one shown. It is part of the mail. */
  | { kind: 'picture'; png: string; alt: string; ends: [left: string, right: string] }
  | { kind: 'table'; title: string; rows: Row[] };

export type Kind<Data> = {
  /** `account`: people cannot unsubscribe, because it is about their access, their data or their money. */
  about: 'account' | Topic;
  /** The id of the list that a mail belongs to, if people unsubscribe from each list of the topic by itself. */
  listOf?(data: Data): string;
  /** After this time the mail is given up: a link in it would have ended, or nobody cares any more. */
  usefulForMs: number;
  /** True if the log of deliveries keeps nothing of it: the person may be gone. */
  isForgotten?: true;
  /** Values of `data` may be hostile: names go through `shownName`, parts of paths through `encodeURIComponent`. */
  write(data: Data): Content;
  /** For the preview and the tests. */
  sample: Data;
};

const kind = <Data>(row: Kind<Data>): Kind<Data> => row;

const emailPath = (token: string) => `/email/${encodeURIComponent(token.toWellFormed())}`;

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
  password_reset: kind<{ email: string; token: string }>({
    about: 'account',
    usefulForMs: HOUR_MS,
    write: ({ email, token }) => ({
      subject: 'Choose a new password for Footfall',
      paragraphs: [
        `Somebody asked for a new password for ${shownName(email)}. If it was you, choose one within an hour.`,
        'If it was not you, delete this mail: your password stays as it is.',
      ],
      button: { label: 'Choose a new password', path: `/reset/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { email: 'ada@example.com', token: 'x'.repeat(40) },
  }),
  password_changed: kind<{ email: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email }) => ({
      subject: 'Your password for Footfall was changed',
      paragraphs: [
        `The password of ${shownName(email)} was changed, and all other browsers were logged out.`,
        'If it was not you, choose a new password at once.',
      ],
      button: { label: 'Choose a new password', path: '/forgot' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  email_change_old: kind<{ from: string; to: string; token: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ from, to, token }) => ({
      subject: 'Confirm the change of your e-mail address',
      paragraphs: [
        `Somebody who knows the password of ${shownName(from)} wants to log in with ${shownName(to)} from now on. If it was you, confirm it within a day. A mail with a second link is on its way to the new address. The change is made once both links were opened.`,
        'If it was not you, do not open the link: your address stays as it is. But somebody knows your password, so change it.',
      ],
      button: { label: 'Confirm the change', path: emailPath(token) },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org', token: 'x'.repeat(40) },
  }),
  email_change_new: kind<{ from: string; to: string; token: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ from, to, token }) => ({
      subject: 'Confirm your new e-mail address',
      paragraphs: [
        `${shownName(from)} wants to log in to Footfall with ${shownName(to)} from now on. If it was you, confirm within a day that this mail reached you. The change is made once the link in the mail to the old address was opened too.`,
        'If it was not you, delete this mail: nothing happens.',
      ],
      button: { label: 'Confirm the address', path: emailPath(token) },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org', token: 'x'.repeat(40) },
  }),
  email_taken: kind<{ email: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ email }) => ({
      subject: 'Somebody entered your e-mail address at Footfall',
      paragraphs: [
        `Somebody wanted to change the e-mail address of their login to ${shownName(email)}, with which you log in. Nothing was changed, and they were not told that you have a login.`,
        'If it was you: log in with this address, or delete that login first.',
      ],
      button: { label: 'Log in', path: '/login' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  email_changed: kind<{ from: string; to: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ from, to }) => ({
      subject: 'Your e-mail address for Footfall was changed',
      paragraphs: [
        `The login of ${shownName(from)} is now ${shownName(to)}. All other browsers were logged out, and links to a new password that were sent before do not work any more.`,
        'If it was not you, ask the person who runs this server at once.',
      ],
      button: { label: 'Log in', path: '/login' },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org' },
  }),
  issuer_linked: kind<{ email: string; issuer: string; keepsPassword: boolean }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email, issuer, keepsPassword }) => ({
      subject: 'A new way to log in to Footfall',
      paragraphs: [
        `${shownName(email)} can now log in to Footfall with ${shownName(issuer)}.`,
        keepsPassword
          ? 'The password still works too.'
          : 'This e-mail address had never been confirmed, so the old password was removed and all other browsers were logged out.',
        'If it was not you, tell the person who runs this server.',
      ],
      button: { label: 'Check your sessions', path: '/settings/security' },
    }),
    sample: { email: 'ada@example.com', issuer: 'Example Login', keepsPassword: true },
  }),
  sign_up: kind<{ email: string; token: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email, token }) => ({
      subject: 'Confirm your e-mail address to use Footfall',
      paragraphs: [
        `Somebody signed up for Footfall with ${shownName(email)}. If it was you, confirm the address within two days.`,
        'If it was not you, delete this mail: without the link there is no account.',
      ],
      button: { label: 'Confirm the address', path: `/confirm/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { email: 'ada@example.com', token: 'x'.repeat(40) },
  }),
  sign_up_taken: kind<{ email: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email }) => ({
      subject: 'Somebody tried to sign up with your e-mail address',
      paragraphs: [
        `Somebody tried to sign up for Footfall with ${shownName(email)}, but you log in with it already. They were not told so, and nothing was changed.`,
        'If it was you, log in. If you forgot the password, ask for a new one on that page.',
      ],
      button: { label: 'Log in', path: '/login' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  invitation: kind<{ account: string; token: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, token }) => ({
      subject: `Join “${shownName(account)}” on Footfall`,
      paragraphs: [
        `You are invited to “${shownName(account)}” on Footfall, which counts the visits of websites without cookies.`,
        'The link works once, for seven days. If you do not expect it, ignore this mail.',
      ],
      button: { label: 'See the invitation', path: `/invite/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { account: 'Example & Sons', token: 'sample' },
  }),
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
      const end = days === 0 ? 'has ended' : days === 1 ? 'ends within a day' : `ends in ${days} days`;
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
  report: kind<ReportMail>({
    about: 'reports',
    usefulForMs: 3 * DAY_MS,
    write: ({ name, title, site, days, sentences, blocks, ...address }) => ({
      subject: `${shownSentence(title)} of ${shownName(site)}, ${shownSentence(days)}`,
      paragraphs: [...(name === site ? [] : [shownName(name)]), ...sentences],
      blocks: blocks.map(withSafeNames),
      button: { label: 'Open these numbers', path: pathOfReport({ site, ...address }) },
      reason: 'You get this report because you, or somebody else with an account, added your address to it.',
    }),
    listOf: ({ list }) => list,
    sample: {
      ...{ name: 'Visitors from France', title: 'Weekly report', site: 'example.com', days: '16 – 22 Nov 2026' },
      sentences: ['In the week of 16 – 22 Nov 2026, 31% fewer than in the week before; mostly fewer from Google.'],
      blocks: [
        { kind: 'figure', label: 'Unique visitors', value: '1,234', says: { text: '31% fewer', verdict: 'bad' } },
        { kind: 'table', title: 'Pages', rows: [{ name: '/', value: '12', change: { text: '+3', verdict: 'good' } }] },
      ],
      query: 'period=custom&date_from=2026-11-16&date_to=2026-11-22',
      list: 'acct_0__report_0',
    },
  }),
  report_stopped: kind<{ name: string; why: string; site: string | null }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ name, why, site }) => ({
      subject: `The report “${shownName(name)}” could not be sent`,
      paragraphs: [`The report “${shownName(name)}” could not be sent.`, shownSentence(why)],
      button: { label: 'See your reports', path: site === null ? '/' : `${pathOf(site)}/settings#reports` },
    }),
    sample: { name: 'Visitors from France', why: 'Its segment was deleted: choose another one.', site: 'example.com' },
  }),
  search_broken: kind<{ domain: string; isWithdrawn: boolean }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ domain, isWithdrawn }) => ({
      subject: `Search terms of ${shownName(domain)} are no longer read`,
      paragraphs: [
        `Footfall can no longer read the search terms of ${shownName(domain)} from Google Search Console.`,
        SEARCH_FAILURES[isWithdrawn ? 'grant' : 'property'],
        'What was read before stays in the dashboard.',
      ],
      button: {
        label: 'Connect again',
        path: `/${encodeURIComponent(domain.toWellFormed())}/settings#search-console`,
      },
    }),
    sample: { domain: 'example.com', isWithdrawn: true },
  }),
  alert: kind<{ list: string; domain: string; zone: string; incidents: Happened[] }>({
    about: 'alert',
    listOf: ({ list }) => list,
    usefulForMs: DAY_MS,
    write: (told) => {
      const { title, lines } = summaryOf(told, shownName);
      return {
        ...{ subject: title, paragraphs: lines },
        button: { label: 'Open the dashboard', path: `/${encodeURIComponent(told.domain.toWellFormed())}` },
      };
    },
    sample: {
      ...{ list: 'acct_sample__alert_sample', domain: 'example.com', zone: 'Europe/Berlin' },
      incidents: [
        {
          ...{ kind: 'spike', started_at: Date.UTC(2026, 10, 22, 13), ended_at: null },
          facts: { value: 2310, expected: 400, cause: { dimension: 'source', name: 'Hacker News' } },
        },
      ],
    },
  }),
} as const satisfies Record<string, Kind<unknown>>;

export type ReportMail = {
  name: string;
  /** Such as `Weekly report`. */
  title: string;
  /** A domain, the name of a group of sites, or the number of sites. */
  site: string;
  isOfGroup?: true;
  /** The period in words. */
  days: string;
  /** The text at the start, already safe to show. */
  sentences: string[];
  blocks: Block[];
  /** The query of the site's dashboard or of the group's page; null for a report of all sites. */
  query: string | null;
  /** The account and the report: what people unsubscribe from. */
  list: string;
};

/** Returns the path of the page that shows the numbers of a report. */
export function pathOfReport({ site, query, isOfGroup }: Pick<ReportMail, 'site' | 'query' | 'isOfGroup'>): string {
  if (query === null) return '/';
  return isOfGroup ? `/?${new URLSearchParams(query).toString()}` : pathOf(site, query);
}

function pathOf(domain: string, query = ''): string {
  const asked = new URLSearchParams(query).toString();
  return `/${encodeURIComponent(domain.toWellFormed())}${asked === '' ? '' : `?${asked}`}`;
}

/** Names of pages, sources and goals come from visitors. */
function withSafeNames(block: Block): Block {
  if (block.kind !== 'table') return block;
  return { ...block, rows: block.rows.map((row) => ({ ...row, name: shownName(row.name) })) };
}

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
