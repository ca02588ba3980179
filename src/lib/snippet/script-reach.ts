// Whether visitors can load the snippet's script, judged by host names alone.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { domainName } from '../formats/domain';

/** Hosts that are someone's own machine, as in tracker/ignore.ts. Not counted unless the snippet has `data-dev`. */
export const OWN_MACHINE = /]|local(host)?$|^[\d.]*$/;

/** Why visitors of `domain` cannot load the script from `origin`, and what to do. Undefined if they can. */
export function reachTrouble(domain: string, origin: string): string | undefined {
  if (OWN_MACHINE.test(domain)) return undefined;
  const { hostname, protocol } = new URL(origin);
  if (OWN_MACHINE.test(hostname))
    return t(
      'Nobody but you can load the script from {origin}: it is the address of your own machine or network. To count visitors of {domain}, run Footfall on a server and set BASE_URL to its https address.',
      { origin, domain: domainName(domain) },
    );
  if (protocol === 'http:')
    return t(
      'Browsers block a script from {origin} on pages that are served over https. Serve Footfall over https, and set BASE_URL to that address.',
      { origin },
    );
  return undefined;
}
