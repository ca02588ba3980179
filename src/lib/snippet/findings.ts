// The findings of a site check, in words for the site's owner: what is wrong, and what to do.
import type { Finding, Site } from '../api/types';
import { domainName } from '../formats/domain';

/** `inSettings`: it can be fixed in the site's settings. */
export type Words = { title: string; advice: string; isFine?: true; inSettings?: true };
type Place = { domain: string; origin: string };
type Failure = Extract<Finding, { name: 'no_answer' }>['failure'];

const BY_HAND = 'Open the page in your browser, view its source, and look for foot.js.';

/** Why a site could not be reached. */
export const noAnswer = (failure: Failure, domain: string): Words => NO_ANSWER[failure](domain);

const NO_ANSWER: Record<Failure, (domain: string) => Words> = {
  no_such_host: (domain) => ({
    title: `${domain} cannot be found`,
    advice:
      'The domain has no address in the DNS that this server asks. Publish the site, or check how the domain is spelled.',
  }),
  address_refused: (domain) => ({
    title: `${domain} is inside a private network`,
    advice: `Footfall makes no requests into private networks, so it cannot check the page. ${BY_HAND}`,
  }),
  unreachable: (domain) => ({
    title: `${domain} does not answer`,
    advice: 'No connection to its web server was possible. Open the page in your browser to see whether it is up.',
  }),
  certificate: (domain) => ({
    title: `${domain} has no valid certificate`,
    advice:
      'Browsers show a warning in place of the page, so the snippet never runs. Renew the certificate of the site.',
  }),
  malformed: (domain) => ({
    title: `${domain} does not answer like a web server`,
    advice: `The answer could not be read. ${BY_HAND}`,
  }),
  too_many_redirects: (domain) => ({
    title: `${domain} redirects endlessly`,
    advice:
      'Six redirects led to no page. Open the site in a private window: your browser probably shows an error too.',
  }),
  timeout: (domain) => ({
    title: `${domain} takes too long to answer`,
    advice: 'The page was not there after ten seconds. Open it in your browser to see whether it is up.',
  }),
  busy: (domain) => ({
    title: `${domain} has not been checked yet`,
    advice: 'Footfall is checking other sites. It will try again automatically.',
  }),
};

export function explainFinding(finding: Finding, { domain: stored, origin }: Place): Words {
  const domain = domainName(stored);
  switch (finding.name) {
    case 'local':
      return {
        title: 'Open the page on this machine',
        advice: `Footfall cannot check ${domain}, because it is your own machine. The snippet needs data-dev there, as shown above. If the script does not load, the browser’s console says why.`,
      };
    case 'no_answer':
      return NO_ANSWER[finding.failure](domain);
    case 'error_status':
      return {
        title: `${domain} answers with an error: ${finding.status}`,
        advice: `Footfall got no page to check. If your browser shows the page, something in front of the site blocks automated requests. ${BY_HAND}`,
      };
    case 'no_html':
      return { title: `${domain} is not an HTML page`, advice: 'Add the snippet to a page that browsers can show.' };
    case 'redirected':
      return {
        inSettings: true,
        title: `${domain} redirects to ${domainName(finding.host)}`,
        advice: `Visits therefore take place on ${domainName(finding.host)}, which is not counted here. Add it to this site’s hosts in the settings, or add it as a separate site.`,
      };
    case 'no_snippet':
      return {
        title: `There is no snippet on ${domain}`,
        advice: `Footfall loaded the front page and found no foot.js in it. Publish the page with the snippet, and clear the caches in front of the site. Footfall cannot see a snippet that a tag manager adds.`,
      };
    case 'other_server':
      return {
        title: 'The snippet loads its script from another server',
        advice: `The page loads it from ${finding.origin}, and this Footfall is at ${origin}. Replace the snippet with the one above.`,
      };
    case 'other_domain':
      return wrongDomain(finding.domain, stored);
    case 'blocked_by_policy':
      return {
        title: `The page’s content security policy blocks ${finding.directive === 'script-src' ? 'the script' : 'what the script sends'}`,
        advice: `Add ${origin} to ${finding.directive} in the policy, which is in ${finding.place === 'header' ? 'the Content-Security-Policy header' : 'a <meta> tag of the page'}.`,
      };
    case 'nothing_wrong':
      return {
        isFine: true,
        title: `The snippet on ${domain} is correct`,
        advice:
          'Footfall loaded the front page and found nothing wrong, but no event has arrived. Open the page once without an ad blocker, or in another browser.',
      };
  }
}

/** The advice quotes `data-site` as the snippet has it. */
export function wrongDomain(named: string, domain: string): Words {
  return {
    title: named === '' ? 'The snippet names no domain' : `The snippet names another domain: ${domainName(named)}`,
    advice: `Its data-site must be "${domain}". Replace the snippet with the one above.`,
  };
}

export function foreignHost(foreign: string, site: Pick<Site, 'domain'>): Words {
  const host = domainName(foreign);
  return {
    inSettings: true,
    title: `The snippet of ${domainName(site.domain)} runs on ${host}`,
    advice: `Its events arrive but are not counted, because ${host} is neither the domain nor a subdomain of it. Add it to this site’s hosts in the settings, or add it as a separate site.`,
  };
}
