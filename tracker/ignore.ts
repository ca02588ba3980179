// Decides who is not counted: the owner's own machine, frames within the site, and people who opted out.
import { options } from './options.ts';

export let isIgnored: unknown;

try {
  isIgnored =
    // An empty hostname means file:, data: or srcdoc. Sites have names, so a bare IP address is a private machine. `data-dev` gives `true`, which matches nothing.
    /]|local(host)?$|^[\d.]*$/.test(('dev' in options || location.hostname) as string) ||
    // A frame of the same site is part of the page around it. If that page is on another host of the site, only the referrer shows it.
    (parent !== window && document.referrer.includes(options.site as string)) ||
    localStorage.footfall_ignore === 'true';
} catch {
  // storage may be blocked, which is no reason not to be counted
}
