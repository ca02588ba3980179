// The reasons for which a hit is not counted: a closed set, each with a text for the owner of the site. The sender is never told.

type DropRow = {
  label: string;
  advice: string;
  /** The owner has something to fix. */
  isTrouble?: true;
};

const DROPS = {
  unknown_site: {
    label: 'Unknown domain',
    advice: 'The snippet names a domain that is not registered. data-site must be spelled like the domain here.',
    isTrouble: true,
  },
  paused: { label: 'Paused', advice: 'Counting is paused in the settings of this site.', isTrouble: true },
  foreign_host: {
    label: 'Another host',
    advice:
      'The snippet runs on a host that is not this domain or a subdomain of it. Add the host in the settings of this site, or fix data-site.',
    isTrouble: true,
  },
  not_a_page: {
    label: 'Files',
    advice: 'Requests for images, styles, feeds and the like that a server of this site told of: no pages.',
  },
  opted_out: {
    label: 'Asked not to be counted',
    advice: 'Browsers with Global Privacy Control or Do Not Track, which this site respects.',
  },
  bot_user_agent: { label: 'Bots', advice: 'Crawlers, monitors and HTTP libraries, by their user agent.' },
  no_user_agent: { label: 'No user agent', advice: 'Requests that do not say what they are: never a browser.' },
  webdriver: { label: 'Automated browsers', advice: 'Browsers that a program drives, as tests do.' },
  headless: { label: 'Headless browsers', advice: 'Browsers without a window.' },
  prefetch: { label: 'Prefetched pages', advice: 'Pages that were loaded ahead or as a preview, and not seen.' },
  referrer_spam: { label: 'Referrer spam', advice: 'Visits that only advertise the site they claim to come from.' },
  repeat_view: {
    label: 'Double page views',
    advice: 'The same page twice within half a second, or an app that changed only the query of its address.',
  },
  repeat_id: { label: 'Sent twice', advice: 'The same event again, after a bad connection: counted once.' },
  over_quota: {
    label: 'Over the monthly limit',
    advice: 'This server drops events past the plan’s monthly number.',
    isTrouble: true,
  },
  flood: {
    label: 'Too many from one address',
    advice:
      'One address sent more events, or more new visitors, than this server takes from it. If many people share an address, as on a campus, the operator can raise FLOOD_VISITORS and FLOOD_EVENTS.',
  },
  not_ai: {
    label: 'Not an AI visit',
    advice: 'The image was loaded, or a server of this site told of a request, by somebody other than an AI provider.',
  },
} as const satisfies Record<string, DropRow>;

export type DropReason = keyof typeof DROPS;
export const DROP_REASONS = Object.keys(DROPS) as [DropReason, ...DropReason[]];

/** Returns the texts of a reason. A reason that only older versions had is labelled with its name. */
export function explainDrop(reason: string): DropRow {
  return (DROPS as Record<string, DropRow>)[reason] ?? { label: reason.replaceAll('_', ' '), advice: '' };
}
