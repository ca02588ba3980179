// Mails about how people log in: passwords, addresses, single sign-on, signing up, invitations.
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { kind } from './content.ts';
import { shownName } from './names.ts';

const emailPath = (token: string) => `/email/${encodeURIComponent(token.toWellFormed())}`;

export const LOGIN_MAILS = {
  password_reset: kind<{ email: string; token: string }>({
    about: 'account',
    usefulForMs: HOUR_MS,
    write: ({ email, token }) => ({
      subject: t('Choose a new password for Footfall'),
      paragraphs: [
        t('Somebody asked for a new password for {email}. If it was you, choose one within an hour.', {
          email: shownName(email),
        }),
        t('If it was not you, delete this mail: your password stays as it is.'),
      ],
      button: { label: t('Choose a new password'), path: `/reset/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { email: 'ada@example.com', token: 'x'.repeat(40) },
  }),
  password_changed: kind<{ email: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email }) => ({
      subject: t('Your password for Footfall was changed'),
      paragraphs: [
        t('The password of {email} was changed, and all other browsers were logged out.', { email: shownName(email) }),
        t('If it was not you, choose a new password at once.'),
      ],
      button: { label: t('Choose a new password'), path: '/forgot' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  email_change_old: kind<{ from: string; to: string; token: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ from, to, token }) => ({
      subject: t('Confirm the change of your e-mail address'),
      paragraphs: [
        t(
          'Somebody who knows the password of {from} wants to log in with {to} from now on. If it was you, confirm it within a day. A mail with a second link is on its way to the new address. The change is made once both links were opened.',
          { from: shownName(from), to: shownName(to) },
        ),
        t(
          'If it was not you, do not open the link: your address stays as it is. But somebody knows your password, so change it.',
        ),
      ],
      button: { label: t('Confirm the change'), path: emailPath(token) },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org', token: 'x'.repeat(40) },
  }),
  email_change_new: kind<{ from: string; to: string; token: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ from, to, token }) => ({
      subject: t('Confirm your new e-mail address'),
      paragraphs: [
        t(
          '{from} wants to log in to Footfall with {to} from now on. If it was you, confirm within a day that this mail reached you. The change is made once the link in the mail to the old address was opened too.',
          { from: shownName(from), to: shownName(to) },
        ),
        t('If it was not you, delete this mail: nothing happens.'),
      ],
      button: { label: t('Confirm the address'), path: emailPath(token) },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org', token: 'x'.repeat(40) },
  }),
  email_taken: kind<{ email: string }>({
    about: 'account',
    usefulForMs: DAY_MS,
    write: ({ email }) => ({
      subject: t('Somebody entered your e-mail address at Footfall'),
      paragraphs: [
        t(
          'Somebody wanted to change the e-mail address of their login to {email}, with which you log in. Nothing was changed, and they were not told that you have a login.',
          { email: shownName(email) },
        ),
        t('If it was you: log in with this address, or delete that login first.'),
      ],
      button: { label: t('Log in'), path: '/login' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  email_changed: kind<{ from: string; to: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ from, to }) => ({
      subject: t('Your e-mail address for Footfall was changed'),
      paragraphs: [
        t(
          'The login of {from} is now {to}. All other browsers were logged out, and links to a new password that were sent before do not work any more.',
          { from: shownName(from), to: shownName(to) },
        ),
        t('If it was not you, ask the person who runs this server at once.'),
      ],
      button: { label: t('Log in'), path: '/login' },
    }),
    sample: { from: 'ada@example.com', to: 'ada@example.org' },
  }),
  issuer_linked: kind<{ email: string; issuer: string; keepsPassword: boolean }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email, issuer, keepsPassword }) => ({
      subject: t('A new way to log in to Footfall'),
      paragraphs: [
        t('{email} can now log in to Footfall with {issuer}.', { email: shownName(email), issuer: shownName(issuer) }),
        keepsPassword
          ? t('The password still works too.')
          : t(
              'This e-mail address had never been confirmed, so the old password was removed and all other browsers were logged out.',
            ),
        t('If it was not you, tell the person who runs this server.'),
      ],
      button: { label: t('Check your sessions'), path: '/settings/security' },
    }),
    sample: { email: 'ada@example.com', issuer: 'Example Login', keepsPassword: true },
  }),
  sign_up: kind<{ email: string; token: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email, token }) => ({
      subject: t('Confirm your e-mail address to use Footfall'),
      paragraphs: [
        t('Somebody signed up for Footfall with {email}. If it was you, confirm the address within two days.', {
          email: shownName(email),
        }),
        t('If it was not you, delete this mail: without the link there is no account.'),
      ],
      button: { label: t('Confirm the address'), path: `/confirm/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { email: 'ada@example.com', token: 'x'.repeat(40) },
  }),
  sign_up_taken: kind<{ email: string }>({
    about: 'account',
    usefulForMs: 2 * DAY_MS,
    write: ({ email }) => ({
      subject: t('Somebody tried to sign up with your e-mail address'),
      paragraphs: [
        t(
          'Somebody tried to sign up for Footfall with {email}, but you log in with it already. They were not told so, and nothing was changed.',
          { email: shownName(email) },
        ),
        t('If it was you, log in. If you forgot the password, ask for a new one on that page.'),
      ],
      button: { label: t('Log in'), path: '/login' },
    }),
    sample: { email: 'ada@example.com' },
  }),
  invitation: kind<{ account: string; token: string }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ account, token }) => ({
      subject: t('Join “{account}” on Footfall', { account: shownName(account) }),
      paragraphs: [
        t('You are invited to “{account}” on Footfall, which counts the visits of websites without cookies.', {
          account: shownName(account),
        }),
        t('The link works once, for seven days. If you do not expect it, ignore this mail.'),
      ],
      button: { label: t('See the invitation'), path: `/invite/${encodeURIComponent(token.toWellFormed())}` },
    }),
    sample: { account: 'Example & Sons', token: 'sample' },
  }),
};
