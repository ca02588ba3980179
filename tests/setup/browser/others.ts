// The browsers besides Chromium. They are large, so they are looked for rather than installed, and only the long form opens them.
import { firefoxPath, openFirefox } from './firefox.ts';
import { openWebkit, webkitPath } from './webkit.ts';

const isLong = Boolean(process.env['HARNESS']);

/** `path`: undefined where it is not to be tried. */
export const OTHERS = [
  { name: 'Firefox', path: isLong ? firefoxPath() : undefined, open: openFirefox },
  { name: 'WebKit', path: isLong ? webkitPath() : undefined, open: openWebkit },
];
