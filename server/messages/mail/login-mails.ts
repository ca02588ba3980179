// Mails about how people log in: passwords, addresses, single sign-on, signing up, invitations.
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { kind } from './content.ts';
import { shownName } from './names.ts';

const emailPath = (token: string) => `/email/${encodeURIComponent(token.toWellFormed())}`;

export const LOGIN_MAILS = {
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
};
