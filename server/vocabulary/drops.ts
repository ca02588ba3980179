// The reasons why a hit is not counted: a closed set, each with a text for the site's owner. The sender is never told.
import { t, textsOf } from './habits/messages.ts';
import { ERROR_LIMITS } from './limits.ts';
import { fullNumber } from './numbers/format.ts';

const { messages, shapes } = ERROR_LIMITS;

type DropRow = {
  label: string;
  /** A function where it names numbers. */
  advice: string | (() => string);
  /** The owner has something to fix. */
  isTrouble?: true;
};

const DROPS = textsOf(['label', 'advice'], {
  unknown_site: {
    label: 'Unknown domain',
    advice: 'The snippet names a domain that is not registered. data-site must be spelled like the domain here.',
    isTrouble: true,
  },
  paused: { label: 'Paused', advice: 'Counting is paused in the settings of this site.', isTrouble: true },
  foreign_host: {
    label: 'Another host',
    advice:
      'The snippet runs on a host that is neither this domain nor one of its subdomains. Add the host in the settings of this site, or fix data-site.',
    isTrouble: true,
  },
  shown_elsewhere: {
    label: 'Copies of your pages',
    advice: 'Pages of this site that an archive, a cache or the preview of an editor showed.',
  },
  own_visit: {
    label: 'Your own visits',
    advice: 'Visits from a network that the settings of this site leave out.',
  },
  left_out_host: { label: 'Hosts left out', advice: 'Pages on a host that the settings of this site leave out.' },
  left_out_page: { label: 'Pages left out', advice: 'Pages that the settings of this site leave out.' },
  left_out_country: {
    label: 'Countries left out',
    advice: 'Visits from a country that the settings of this site leave out.',
  },
  not_a_page: {
    label: 'Files',
    advice: 'Requests for images, styles, feeds and other files that are not pages, reported by a server of this site.',
  },
  opted_out: {
    label: 'Asked not to be counted',
    advice: 'Browsers with Global Privacy Control or Do Not Track, which this site respects.',
  },
  bot_user_agent: { label: 'Bots', advice: 'Crawlers, monitors and HTTP libraries, by their user agent.' },
  no_user_agent: { label: 'No user agent', advice: 'Requests without a user agent. Every browser sends one.' },
  webdriver: { label: 'Automated browsers', advice: 'Browsers controlled by a program, such as an automated test.' },
  headless: { label: 'Headless browsers', advice: 'Browsers without a window.' },
  prefetch: {
    label: 'Prefetched pages',
    advice: 'Pages that a browser loaded in advance or as a preview, but did not show.',
  },
  referrer_spam: { label: 'Referrer spam', advice: 'Visits that only advertise the site they claim to come from.' },
  repeat_view: {
    label: 'Double page views',
    advice: 'The same page twice within half a second, or an app that changed only the query of its address.',
  },
  repeat_id: { label: 'Sent twice', advice: 'Events that were sent again after a bad connection. They count once.' },
  over_quota: {
    label: 'Over the monthly limit',
    advice: 'This server drops events above the plan’s monthly limit.',
    isTrouble: true,
  },
  vitals_off: {
    label: 'Speed is not measured',
    advice: 'Measurements of how fast a page was, for which the settings of this site do not ask.',
  },
  errors_off: {
    label: 'Errors are not recorded',
    advice: 'Errors in the browsers of visitors, which the settings of this site do not record.',
  },
  foreign_error: {
    label: 'Errors of extensions',
    advice: 'Errors of browser extensions and of scripts on other hosts, of which browsers tell nothing.',
  },
  too_many_errors: {
    label: 'Too many errors',
    advice: () =>
      t(
        'Errors beyond those that are stored: {messages} messages an hour for a site, and {own} from one address. Page views are counted as always.',
        { messages: fullNumber(messages.site), own: messages.address },
      ),
  },
  too_many_new_errors: {
    label: 'Too many kinds of errors',
    advice: () =>
      t(
        'Errors that differ from all others of the day, beyond those that are stored: {shapes} a day for a site, and {own} from one address. Throw errors without values of your visitors in their messages.',
        { shapes: shapes.site, own: shapes.address },
      ),
  },
  flood: {
    label: 'Too many from one address',
    advice:
      'One address sent more events or new visitors than this server accepts from it. If many people share an address, as on a campus, the operator can raise FLOOD_VISITORS and FLOOD_EVENTS.',
  },
  not_ai: {
    label: 'Not an AI visit',
    advice:
      'Somebody other than an AI provider loaded the image, or made a request that a server of this site reported.',
  },
} as const satisfies Record<string, DropRow>);

export type DropReason = keyof typeof DROPS;
export const DROP_REASONS = Object.keys(DROPS) as [DropReason, ...DropReason[]];

/** Returns the texts of a reason. A reason that only older versions had is labelled with its name. */
export function explainDrop(reason: string): { label: string; advice: string; isTrouble: boolean } {
  const row = (DROPS as Record<string, DropRow>)[reason];
  if (!row) return { label: reason.replaceAll('_', ' '), advice: '', isTrouble: false };
  const { label, advice, isTrouble = false } = row;
  return { label, advice: typeof advice === 'string' ? advice : advice(), isTrouble };
}
