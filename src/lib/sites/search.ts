// Finds sites by a part of their domain, as it is stored or as people read it.
import { domainName } from '../formats/domain';

export function sitesLike<Site extends { domain: string }>(sites: readonly Site[], search: string): readonly Site[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return sites;
  return sites.filter(({ domain }) => domain.includes(wanted) || domainName(domain).includes(wanted));
}
