// Referrer spam: hosts that send fake visits so that the site's owner follows their links.
import { readFileSync } from 'node:fs';

const { hosts } = JSON.parse(readFileSync(new URL('../lists/spammers.json', import.meta.url), 'utf8')) as {
  hosts: string[];
};
const spammers = new Set(hosts);

/** True if a host, or a domain above it, is on the list. Whole labels are compared, so that similar names do not match. */
export function isReferrerSpam(host: string): boolean {
  let domain = host.length > 253 ? '' : host.toLowerCase();
  while (domain !== '') {
    if (spammers.has(domain)) return true;
    const dot = domain.indexOf('.');
    if (dot === -1) return false;
    domain = domain.slice(dot + 1);
  }
  return false;
}
