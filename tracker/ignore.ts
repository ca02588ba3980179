// Who is left out: the owner's own machine, frames within the site, and who opted out.
import { options } from './options.ts';

export let isIgnored: unknown;

try {
  isIgnored =
    // '' is file:, data: and srcdoc; a site has a name, so a bare address is somebody's machine
    (!('dev' in options) && /]|local(host)?$|^[\d.]*$/.test(location.hostname)) ||
    // a frame of the same site is part of the page around it; only the referrer tells of a page on another of its hosts
    (parent !== window && document.referrer.includes(options.site as string)) ||
    localStorage.footfall_ignore === 'true';
} catch {
  // storage may be forbidden, which is no reason to be left out
}
