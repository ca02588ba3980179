// Reads an error that a browser has sent. What is stored of it goes through the patterns of vocabulary/texts/error-shape.ts, whether or not the
// sender is our script.
import { hash } from 'node:crypto';
import type { ErrorKind, PageError } from '../../vocabulary/event.ts';
import { shapeOfMessage, shapeOfWords } from '../../vocabulary/texts/error-shape.ts';
import { cleanText, cut } from '../../vocabulary/texts/spelling.ts';
import { hostOf, type Page, parseHttp, pathOf } from '../../vocabulary/texts/url.ts';

/** `file`: an address, or '' for none. */
export type SentError = { kind: ErrorKind; message: string; file: string; line: number; count: number };
type ErrorPart = Pick<
  PageError,
  'error_shape' | 'error_kind' | 'error_message' | 'error_file' | 'error_line' | 'occurrences'
>;

/** Characters that are kept of a message, and of a file. */
export const MAX_KEPT_TEXT = 200;
/** Digits of a shape's id: two of ten million shapes of a site seldom have the same. */
const ID_DIGITS = 12;
/** Tags of elements that load files. */
const LOADS = /^(?:script|link|img)$/;
/** What browsers tell of an error in a script of another host. */
const OF_OTHERS = /^Script error\.?$/;

/** Undefined for an error that is not the site's own. */
export function readError(
  { kind, message, file, line, count }: SentError,
  page: Page,
  isOwnHost: (host: string) => boolean,
): ErrorPart | undefined {
  const path = file === '' ? '' : fileOf(file, page);
  const words = wordsOf(message);
  const [host] = path?.split('/') ?? []; // '' for the page's own
  const isOwn =
    kind === 'load' ? LOADS.test(words) && path && (!host || isOwnHost(host)) : !OF_OTHERS.test(words) || path !== '';
  if (path === undefined || words === '' || !isOwn) return undefined;
  const error_shape = hash('sha256', `${kind}\0${words}\0${path}`, 'hex').slice(0, ID_DIGITS);
  return {
    error_shape,
    error_kind: kind,
    error_message: words,
    error_file: path,
    error_line: line,
    occurrences: count,
  };
}

/** A list of numbers or addresses is as long as it happens to be. */
const REPEATED = /(\[\w+\]|#)(?:[\s,.:;|+-]{1,4}\1)+/g;

const wordsOf = (message: string): string =>
  cut(shapeOfMessage(cleanText(message.replace(/^Uncaught /, ''), 600)).replace(REPEATED, '$1'), MAX_KEPT_TEXT);

/** Bundlers put a hash behind a file's name: `film-4f9c2d1e.js` is `film-[id].js`. */
function shapeOfName(name: string): string {
  const [, start = '', rest = name] = /^(\p{L}{2,24}-)(.+)$/u.exec(name) ?? [];
  return start + shapeOfWords(rest);
}

/** The path, with its host if that is not the page's; '' for a script within the page, and undefined for one of an extension. */
function fileOf(sent: string, { hostname, page }: Page): string | undefined {
  const address = parseHttp(sent);
  if (!address) return undefined;
  const path = pathOf(address);
  const host = hostOf(address);
  if (host === hostname && path === page) return '';
  const parts = path.split('/').map((part) => (/[@%\\\s=&:]/.test(part) ? '[id]' : shapeOfName(part)));
  return cut((host === hostname ? '' : host) + parts.join('/'), MAX_KEPT_TEXT);
}
