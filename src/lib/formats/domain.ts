// Domains as people write them: münchen.de for xn--mnchen-3ya.de. Few sites have such a domain, so the code for it is loaded on demand.
import { onDemand } from './on-demand.ts';

const nameOf = onDemand(async () => (await import('./international.ts')).internationalName);
const isInternational = (domain: string): boolean => domain.includes('xn--');

/** Call it before these domains are shown, so that their names do not change on the screen. */
export async function prepareNames(domains: string[]): Promise<void> {
  if (domains.some(isInternational)) await nameOf.prepare().catch(() => undefined); // they stay as they are stored
}

/** A domain as people read it. Addresses and requests use the stored one. */
export const domainName = (domain: string): string =>
  isInternational(domain) ? (nameOf.get()?.(domain) ?? domain) : domain;

/** The same for text that begins with a domain, such as a referrer. */
export function addressName(address: string): string {
  const [host = ''] = address.split('/', 1);
  return domainName(host) + address.slice(host.length);
}
