// Who can load the snippet's script, judged by the names alone.

/** As in tracker/ignore.ts: pages on these are somebody's own machine, and not counted unless the snippet says `data-dev`. */
export const OWN_MACHINE = /]|local(host)?$|^[\d.]*$/;

/** What keeps visitors of `domain` from loading the script from `origin`, as a sentence with what to do. */
export function reachTrouble(domain: string, origin: string): string | undefined {
  if (OWN_MACHINE.test(domain)) return undefined;
  const { hostname, protocol } = new URL(origin);
  if (OWN_MACHINE.test(hostname))
    return `Nobody but you can load the script from ${origin}: it is the address of your own machine or network. To count visitors of ${domain}, run Footfall on a server and set BASE_URL to its https address.`;
  if (protocol === 'http:')
    return `Browsers block a script from ${origin} on pages that are served over https. Serve Footfall over https, and set BASE_URL to that address.`;
  return undefined;
}
