// The findings of a site check, in words for the site's owner: what is wrong, and what to do.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import type { Finding, Site } from '../api/types';
import { domainName } from '../formats/domain';

/** `inSettings`: it can be fixed in the site's settings. */
export type Words = { title: string; advice: string; isFine?: true; inSettings?: true };
type Place = { domain: string; origin: string };
type Failure = Extract<Finding, { name: 'no_answer' }>['failure'];

const byHand = () => t('Open the page in your browser, view its source, and look for foot.js.');

/** Why a site could not be reached. */
export const noAnswer = (failure: Failure, domain: string): Words => NO_ANSWER[failure](domain);

const NO_ANSWER: Record<Failure, (domain: string) => Words> = {
  no_such_host: (domain) => ({
    title: t('{domain} cannot be found', { domain }),
    advice: t(
      'The domain has no address in the DNS that this server asks. Publish the site, or check how the domain is spelled.',
    ),
  }),
  address_refused: (domain) => ({
    title: t('{domain} is inside a private network', { domain }),
    advice: `${t('Footfall makes no requests into private networks, so it cannot check the page.')} ${byHand()}`,
  }),
  unreachable: (domain) => ({
    title: t('{domain} does not answer', { domain }),
    advice: t('No connection to its web server was possible. Open the page in your browser to see whether it is up.'),
  }),
  certificate: (domain) => ({
    title: t('{domain} has no valid certificate', { domain }),
    advice: t(
      'Browsers show a warning in place of the page, so the snippet never runs. Renew the certificate of the site.',
    ),
  }),
  malformed: (domain) => ({
    title: t('{domain} does not answer like a web server', { domain }),
    advice: `${t('The answer could not be read.')} ${byHand()}`,
  }),
  too_many_redirects: (domain) => ({
    title: t('{domain} redirects endlessly', { domain }),
    advice: t(
      'Six redirects led to no page. Open the site in a private window: your browser probably shows an error too.',
    ),
  }),
  timeout: (domain) => ({
    title: t('{domain} takes too long to answer', { domain }),
    advice: t('The page was not there after ten seconds. Open it in your browser to see whether it is up.'),
  }),
  busy: (domain) => ({
    title: t('{domain} has not been checked yet', { domain }),
    advice: t('Footfall is checking other sites. It will try again automatically.'),
  }),
};

export function explainFinding(finding: Finding, { domain: stored, origin }: Place): Words {
  const domain = domainName(stored);
  switch (finding.name) {
    case 'local':
      return {
        title: t('Open the page on this machine'),
        advice: t(
          'Footfall cannot check {domain}, because it is your own machine. The snippet needs data-dev there, as shown above. If the script does not load, the browser’s console says why.',
          { domain },
        ),
      };
    case 'no_answer':
      return NO_ANSWER[finding.failure](domain);
    case 'error_status':
      return {
        title: t('{domain} answers with an error: {status}', { domain, status: finding.status }),
        advice: `${t('Footfall got no page to check. If your browser shows the page, something in front of the site blocks automated requests.')} ${byHand()}`,
      };
    case 'no_html':
      return {
        title: t('{domain} is not an HTML page', { domain }),
        advice: t('Add the snippet to a page that browsers can show.'),
      };
    case 'redirected':
      return {
        inSettings: true,
        title: t('{domain} redirects to {host}', { domain, host: domainName(finding.host) }),
        advice: t(
          'Visits therefore take place on {host}, which is not counted here. Add it to this site’s hosts in the settings, or add it as a separate site.',
          { host: domainName(finding.host) },
        ),
      };
    case 'no_snippet':
      return {
        title: t('There is no snippet on {domain}', { domain }),
        advice: t(
          'Footfall loaded the front page and found no foot.js in it. Publish the page with the snippet, and clear the caches in front of the site. Footfall cannot see a snippet that a tag manager adds.',
        ),
      };
    case 'other_server':
      return {
        title: t('The snippet loads its script from another server'),
        advice: t(
          'The page loads it from {other}, and this Footfall is at {origin}. Replace the snippet with the one above.',
          { other: finding.origin, origin },
        ),
      };
    case 'other_domain':
      return wrongDomain(finding.domain, stored);
    case 'blocked_by_policy':
      return blockedByPolicy(finding, origin);
    case 'nothing_wrong':
      return {
        isFine: true,
        title: t('The snippet on {domain} is correct', { domain }),
        advice: t(
          'Footfall loaded the front page and found nothing wrong, but no event has arrived. Open the page once without an ad blocker, or in another browser.',
        ),
      };
  }
}

type Blocked = Extract<Finding, { name: 'blocked_by_policy' }>;
const blockedByPolicy = ({ directive, place }: Blocked, origin: string): Words => ({
  title:
    directive === 'script-src'
      ? t('The page’s content security policy blocks the script')
      : t('The page’s content security policy blocks what the script sends'),
  advice:
    place === 'header'
      ? t('Add {origin} to {directive} in the policy, which is in the Content-Security-Policy header.', {
          origin,
          directive,
        })
      : t('Add {origin} to {directive} in the policy, which is in a <meta> tag of the page.', { origin, directive }),
});

/** The advice quotes `data-site` as the snippet has it. */
export function wrongDomain(named: string, domain: string): Words {
  return {
    title:
      named === ''
        ? t('The snippet names no domain')
        : t('The snippet names another domain: {domain}', { domain: domainName(named) }),
    advice: t('Its data-site must be "{domain}". Replace the snippet with the one above.', { domain }),
  };
}

export function foreignHost(foreign: string, site: Pick<Site, 'domain'>): Words {
  const host = domainName(foreign);
  return {
    inSettings: true,
    title: t('The snippet of {domain} runs on {host}', { domain: domainName(site.domain), host }),
    advice: t(
      'Its events arrive but are not counted, because {host} is neither the domain nor a subdomain of it. Add it to this site’s hosts in the settings, or add it as a separate site.',
      { host },
    ),
  };
}
