// Who is left out: the owner's own machine, who opted out, and who asked not to be counted where the site honours that.
import { options } from './options.ts';

export let isIgnored: unknown;

try {
  isIgnored =
    // '' is file:, data: and srcdoc; a site has a name, so a bare address is somebody's machine
    (!('dev' in options) && /]|local(host)?$|^[\d.]*$/.test(location.hostname)) ||
    ('dnt' in options && (+(navigator.doNotTrack as string) || navigator.globalPrivacyControl)) || // '1', or null
    frameElement || // a frame of the same site is part of the page around it
    localStorage.footfall_ignore === 'true';
} catch {
  // storage may be forbidden, which is no reason to be left out
}
