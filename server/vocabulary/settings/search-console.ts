// Google Search Console: its numbers, and why a connection fails, with words for each. For server and dashboard.
import { t, texts } from '../habits/messages.ts';

export const SEARCH_METRICS = ['clicks', 'impressions', 'click_rate', 'position'] as const;
export type SearchMetric = (typeof SEARCH_METRICS)[number];

export const SEARCH_METRIC_WORDS: Record<SearchMetric, { label: string; explains: string }> = texts({
  clicks: { label: 'Clicks', explains: 'How often somebody clicked a result that leads to this site.' },
  impressions: { label: 'Impressions', explains: 'How often a result that leads to this site was shown.' },
  click_rate: { label: 'Click rate', explains: 'Clicks divided by impressions.' },
  position: {
    label: 'Position',
    explains: 'Average place of the result on the page, weighted by impressions. 1 is the top.',
  },
});

/** The dimensions of visits that Google’s numbers have too. Other filters do not apply to them. */
export const SEARCH_DIMENSIONS = ['page', 'hostname', 'country', 'device'] as const;
export type SearchDimension = (typeof SEARCH_DIMENSIONS)[number];

export const searchDelay = (): string => t('Google publishes its numbers two to three days late.');
export const searchWithheld = (): string =>
  t(
    'Google does not tell which terms people used if only few searched for them, nor those beyond its limit for a day. They are counted here together.',
  );

/** Google keeps its numbers for about 16 months. */
export const SEARCH_DAYS = 486;
/** Most terms that a page of an answer holds. */
export const MAX_SEARCH_PAGE = 500;

/** Why Google gave no numbers. The sentences say what to do, to people who may change the site. */
export const SEARCH_FAILURES = texts({
  grant:
    'Google no longer accepts the permission that was given to Footfall. It was withdrawn, or it has ended: connect again.',
  property:
    'The Google account that was used no longer has access to this property: connect again with one that has, or choose another property.',
  client:
    'Google does not know the OAuth client of this server, or its API is not enabled: the person who runs this server can mend that.',
  quota: 'Google’s limit on requests is used up. Footfall asks again within the hour.',
  unreachable: 'Google does not answer. Footfall tries again within minutes.',
  malformed: 'Google’s answer could not be read. Footfall tries again within minutes.',
} as const);
export type SearchFailure = keyof typeof SEARCH_FAILURES;

/** Failures that only people can mend. They are told once by mail, and the dashboard shows them. */
export const BROKEN: readonly SearchFailure[] = ['grant', 'property'];

/** How connecting ended, as the settings say it. */
export const SEARCH_OUTCOMES = texts({
  connected: 'Google is connected. Choose the property whose search terms you want to see.',
  denied: 'Nothing is connected: access was not allowed at Google.',
  scope: 'Nothing is connected: Footfall may not read Search Console. Connect again, and allow that at Google.',
  expired: 'Nothing is connected: this took longer than ten minutes, or began in another browser. Connect again.',
  failed: 'Nothing is connected: Google did not accept the request. Try again, or ask the person who runs this server.',
  unreachable: 'Nothing is connected: Google does not answer. Try again in a few minutes.',
} as const);
export type SearchOutcome = keyof typeof SEARCH_OUTCOMES;

/** The property’s name as people know it: `sc-domain:example.com` is the domain example.com. */
export function propertyLabel(property: string): string {
  return property.startsWith('sc-domain:')
    ? t('{domain} (whole domain)', { domain: property.slice('sc-domain:'.length) })
    : property;
}

/**
 * The property that fits a domain best: the domain itself or a parent as a whole, else the shortest address on the domain or its www.
 * Undefined if none fits.
 */
export function proposedProperty(domain: string, properties: readonly string[]): string | undefined {
  const bare = domain.replace(/^www\./, '');
  const whole = properties
    .filter((one) => {
      const name = one.startsWith('sc-domain:') ? one.slice('sc-domain:'.length) : undefined;
      return name !== undefined && (bare === name || bare.endsWith(`.${name}`));
    })
    .sort((a, b) => b.length - a.length);
  const prefixes = properties
    .filter((one) => {
      const host = URL.parse(one)?.hostname;
      return host !== undefined && host.replace(/^www\./, '') === bare;
    })
    .sort((a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')) || a.length - b.length);
  return whole[0] ?? prefixes[0];
}
