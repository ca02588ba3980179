// `foot.js?errors` tells of errors that nothing on the page has caught, and of its files that could not be loaded. The server joins it to foot.js for
// a site that records errors, so that it listens from the start. What may tell something about a visitor is gone before it leaves the browser.
import { shapeOfMessage } from '../../server/vocabulary/texts/error-shape.ts';
import { addressNow } from '../address.ts';
import { tell } from '../beacon.ts';
import { isIgnored } from '../ignore.ts';
import { options, snippet } from '../options.ts';

/** The errors of one shape, as `POST /foot` takes them in the field `error`. */
type Told = { kind: string; message: string; file: string | undefined; line: number; count: number };

/** The page may be about to break, and other errors may follow at once. */
const SOON_MS = 1000;

/** Those of a page view, with the page's address. */
let shapes: Record<string, [url: string, error: Told]> = {};

const tellAll = (): void => {
  Object.values(shapes).map(([url, error]) => {
    if (error.count) tell(url, 'error', { error });
    error.count = 0;
  });
};

type Happened = {
  target: { localName?: string; src?: string; href?: string };
  message?: string;
  filename?: string;
  lineno?: number;
  reason?: { stack?: string };
};

const note = ({ target, lineno, reason, message, filename }: Happened): void => {
  try {
    const { localName, src, href } = target;
    // eslint-disable-next-line regexp/no-super-linear-move -- in the visitor's own browser
    const [, where = filename, line = lineno] = /([\w-]+:\/\/\S+?):(\d+):\d+/.exec(reason?.stack as string) ?? [];
    const address = localName ? src || href : where;
    // not those of extensions, and of scripts on other hosts, of which browsers tell no file; nor files of hosts other than the page's, the site's, and
    // those within: 0 is the place where an address begins
    const own = localName ? `[^/]*//([^/]*\\.)?(${options.site}|${location.hostname})[:/]` : 'http';
    if (address ? address.search(own) : message !== undefined) return;
    const ofScript = message === undefined ? 'rejection' : 'error';
    const kind = localName ? 'load' : ofScript;
    const shape = shapeOfMessage(localName ?? message ?? String(reason));
    const file = address?.split(/[?#]/)[0];
    const key = kind + shape + file;
    if (!shapes[key]) {
      if (Object.values(shapes)[9]) return; // ten at most
      shapes[key] = [addressNow(), { kind, message: shape, file, line: +(line as string) || 0, count: 0 }];
      setTimeout(tellAll, SOON_MS);
    }
    shapes[key][1].count++;
  } catch {
    // an error here would be one more, and so on
  }
};

if (
  options.site &&
  !isIgnored &&
  options.errors !== 'off' &&
  // a tag of the page's own is kept
  (/\?/.test(snippet.src) || !document.querySelector('script[src$="?errors"]'))
) {
  addEventListener('visibilitychange', tellAll, true);
  addEventListener('unhandledrejection', note as never, true);
  addEventListener('error', note as never, true); // files that cannot be loaded are told to their element alone
  addEventListener('pageshow', ({ persisted }) => persisted && (shapes = {}));
}
