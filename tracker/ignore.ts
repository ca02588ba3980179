// Decides who is not counted: the owner's own machine, frames within the site, and browsers that opted out.
import { options } from './options.ts';

export let isIgnored: unknown;

try {
  isIgnored =
    // '' means file:, data: or srcdoc; a site has a host name, so a bare address is a private machine
    (!('dev' in options) && /]|local(host)?$|^[\d.]*$/.test(location.hostname)) ||
    // a frame of the same site is part of the page around it; only the referrer reveals that page if it is on another host
    (parent !== window && document.referrer.includes(options.site as string)) ||
    localStorage.footfall_ignore === 'true';
} catch {
  // storage may be forbidden; the visitor counts all the same
}
