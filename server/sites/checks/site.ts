// Finds out why no events arrive from a site: loads its front page as a visitor would, and reports the first problem.
import { domainToASCII } from 'node:url';
import { hostOf, isHostOf } from '../../vocabulary/texts/url.ts';
import { getFromHost } from '../../process/outgoing/by-host.ts';
import type { Answer, Failure, Outgoing } from '../../process/outgoing/client.ts';
import type { Site } from '../sites.ts';
import { type PageFacts, readPage, type Script } from './page.ts';
import { allowsConnection, allowsScript, parsePolicies } from './content-policy.ts';

type Finding =
  /** The site is on the owner's own machine, which this server cannot reach. */
  | { name: 'local' }
  | { name: 'no_answer'; failure: Failure }
  | { name: 'error_status'; status: number }
  | { name: 'no_html' }
  | { name: 'redirected'; host: string }
  | { name: 'no_snippet' }
  | { name: 'other_server'; origin: string }
  /** `domain` is empty when the snippet has no `data-site`. */
  | { name: 'other_domain'; domain: string }
  | { name: 'blocked_by_policy'; directive: 'script-src' | 'connect-src'; place: 'header' | 'meta' }
  | { name: 'nothing_wrong' };

type Question = {
  site: Pick<Site, 'domain' | 'extra_hosts'>;
  /** The script's address in the snippet that the owner received. */
  script: URL;
};

export async function checkSite(outgoing: Outgoing, { site, script }: Question): Promise<Finding> {
  if (/(^|\.)local(host)?$/.test(site.domain)) return { name: 'local' };
  const accept = 'text/html,*/*;q=0.1';
  const outcome = await getFromHost(outgoing, { host: site.domain, path: '/', accept });
  const { answer, failure } = outcome;
  const url = answer ? answer.url : outcome.url;
  const host = url ? hostOf(url) : '';
  if (!isHostOf(host, site.domain, site.extra_hosts)) return { name: 'redirected', host };
  if (!answer) return { name: 'no_answer', failure };
  if (answer.status >= 400) return { name: 'error_status', status: answer.status };
  if (!/html/i.test(answer.headers['content-type'] ?? 'html')) return { name: 'no_html' };
  return inspect(answer, { site, script });
}

function inspect(answer: Answer, question: Question): Finding {
  const { site, script } = question;
  const facts = readPage(answer.body.toString('utf8'), answer.url);
  const own = facts.scripts.filter((each) => isOwn(each, question));
  const matching = own.find((each) => namesSite(each.site, site.domain));
  if (matching) return checkPolicies(answer, facts, { script: matching, page: answer.url });
  const [mismatched] = own;
  if (mismatched) return { name: 'other_domain', domain: shown(mismatched.site) };
  // Inserted by inline code, as tag managers do. The policies are not checked: one that allows this code may allow the script that it
  // loads.
  if (facts.inline.some((code) => code.includes(`${script.host}${script.pathname}`))) return { name: 'nothing_wrong' };
  const other = facts.scripts.find((each) => each.site !== undefined || each.src.pathname.endsWith('/foot.js'));
  if (other) return { name: 'other_server', origin: other.src.origin };
  if (facts.moduleSite === undefined) return { name: 'no_snippet' };
  if (!namesSite(facts.moduleSite, site.domain)) return { name: 'other_domain', domain: shown(facts.moduleSite) };
  return { name: 'nothing_wrong' };
}

/** True if a script is our tracker: it has our address, or the site's own host serves it through a proxy. */
function isOwn({ src, site: named }: Script, { site, script }: Question): boolean {
  if (src.origin === script.origin && src.pathname === script.pathname) return true;
  return named !== undefined && isHostOf(hostOf(src), site.domain, site.extra_hosts);
}

/** Compares as the collector does: ignores case, and treats Unicode and punycode as the same. */
function namesSite(named: string | undefined, domain: string): boolean {
  return named !== undefined && domainToASCII(named) === domain;
}

function shown(named: string | undefined): string {
  return (named ?? '').slice(0, 100);
}

function checkPolicies(answer: Answer, facts: PageFacts, { script, page }: { script: Script; page: URL }): Finding {
  const { nonce, integrity, src } = script;
  const endpoint = URL.parse(script.endpoint || 'foot', script.endpoint ? page : src) ?? src;
  const header = answer.headers['content-security-policy'] ?? '';
  const places = [
    { place: 'header', policies: parsePolicies(Array.isArray(header) ? header.join(',') : header) },
    { place: 'meta', policies: facts.policies.flatMap(parsePolicies) },
  ] as const;
  for (const { place, policies } of places)
    for (const policy of policies) {
      if (!allowsScript(policy, { url: src, page, nonce, integrity }))
        return { name: 'blocked_by_policy', directive: 'script-src', place };
      if (!allowsConnection(policy, { url: endpoint, page }))
        return { name: 'blocked_by_policy', directive: 'connect-src', place };
    }
  return { name: 'nothing_wrong' };
}
