// Referrer spam: hosts that send fake visits so that the site's owner follows their links.
import { readFileSync } from 'node:fs';
import { domainsOf } from './domains.ts';

const { hosts } = JSON.parse(readFileSync(new URL('../lists/spammers.json', import.meta.url), 'utf8')) as {
  hosts: string[];
};
const spammers = new Set(hosts);

/** True if a host, or a domain above it, is on the list. Whole labels are compared, so that similar names do not match. */
export function isReferrerSpam(host: string): boolean {
  return domainsOf(host).some((domain) => spammers.has(domain));
}
