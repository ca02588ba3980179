// Lines of an access log in the combined format, as Apache httpd and nginx write it, and which of them ask for a page.
// Apache escapes quotes as `\"`, nginx as `\x22`; both write bytes that are not printable as `\xHH`.

export type LogLine = {
  address: string;
  /** Milliseconds since the epoch, by the clock and the zone of the web server. */
  time: number;
  method: string;
  /** Path and query, or a whole address where a proxy was asked for. */
  target: string;
  status: number;
  /** As it was written: a number, or `-`. */
  bytes: string;
  /** '' for none. */
  referrer: string;
  userAgent: string;
};

/** Longer than any request line that a web server takes with its default limits (8 KiB each for line and headers). */
export const MAX_LINE_BYTES = 32 * 1024;

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
/** `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`, and whatever a server adds after it. */
const LINE = new RegExp(
  String.raw`^(\S+) \S+ [^[]*\[(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\] ${QUOTED} (\d{3}) (\d+|-) ${QUOTED} ${QUOTED}`,
);
/** HTTP/0.9 names no version; a target with a space in it is not valid, and is served all the same. */
const REQUEST = /^([A-Z]{3,20}) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** undefined for what is not in the format, such as a TLS handshake that was sent to the plain port. */
export function parseLine(line: string): LogLine | undefined {
  const found = LINE.exec(line);
  if (!found) return undefined;
  const [, address = '', day, month = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] = found;
  const [quotedRequest = '', status, bytes = '', referrer = '', userAgent = ''] = found.slice(11);
  const request = REQUEST.exec(unescape(quotedRequest));
  const time = instantOf({
    date: [Number(year), MONTHS.indexOf(month), Number(day)],
    clock: [Number(hour), Number(minute), Number(second)],
    zoneMinutes: (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes)),
  });
  if (!request || time === undefined) return undefined;
  const [, method = '', target = ''] = request;
  return {
    address,
    time,
    method,
    target,
    status: Number(status),
    bytes,
    referrer: valueOf(referrer),
    userAgent: valueOf(userAgent),
  };
}

type Instant = { date: [number, number, number]; clock: [number, number, number]; zoneMinutes: number };

function instantOf({ date, clock, zoneMinutes }: Instant): number | undefined {
  const [hour, minute, second] = clock;
  const midnight = new Date(Date.UTC(...date));
  const isReal = date[1] >= 0 && midnight.getUTCDate() === date[2] && midnight.getUTCMonth() === date[1];
  if (!isReal || hour > 23 || minute > 59 || second > 60) return undefined;
  return midnight.getTime() + ((hour * 60 + minute - zoneMinutes) * 60 + second) * 1000;
}

function valueOf(quoted: string): string {
  return quoted === '-' ? '' : unescape(quoted);
}

const ESCAPED = /(?:\\x[0-9A-Fa-f]{2})+|\\./g;
const CONTROLS: Record<string, string> = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\b': '\b', '\\v': '\v' };

function unescape(quoted: string): string {
  if (!quoted.includes('\\')) return quoted;
  return quoted.replace(ESCAPED, (run) =>
    run.startsWith('\\x') && run.length > 2
      ? Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8')
      : (CONTROLS[run] ?? run.slice(1)),
  );
}

/** Why a line is no page request, in the order in which this is found out. */
export type SkipReason = 'malformed' | 'method' | 'not_a_page' | 'status';

/** Endings of what is no page. Whatever has another one, or none, is: `.html`, `.php`, `.jsp`, `/v1.2`, `/john.mcdonald`. */
const FILE_ENDINGS = new Set(
  [
    'png jpg jpeg gif svg svgz webp avif bmp ico cur tif tiff heic psd eps apng jxl', // images
    'css scss less js mjs cjs map wasm xsl xslt xpi htc swf', // what a page is made of
    'ttf otf woff woff2 eot pfb', // fonts
    'mp3 mp4 m4a m4v ogg ogv oga opus wav flac aac mid webm avi mov wmv mpg mpeg flv mkv 3gp m3u m3u8 mpd vtt srt', // media
    'zip gz tgz tar bz2 xz zst 7z rar jar war deb rpm dmg pkg iso img msi exe dll so bin apk ipa gem whl egg torrent', // archives
    'pdf doc docx xls xlsx ppt pptx odt ods odp rtf ps epub mobi vsd', // documents that are downloaded
    'rss atom rdf xml json jsonp json5 webmanifest manifest ics vcf csv tsv yml yaml toml sql sqlite db dat pcap kml kmz gpx', // feeds, data
    'txt log md markdown tex conf cfg ini env spec diff patch bak old orig swp asc sig md5 sha1 sha256 pem crt key', // plain text
    'data', // what single-page apps load in place of a page: React Router's `/about.data`
    'c h cc cpp hpp cs java class py pyc pyo rb go rs lua sh bash m4 mk ts tsx jsx vue coffee swift kt scala hs el vim', // sources
  ].flatMap((kind) => kind.split(' ')),
);
const ENDING = /\.([a-z0-9]{1,12})$/i;
/** Feeds without an ending, by path or by the parameter with which blogs choose a format. */
const FEED_PATH = /\/(?:feeds?|rss2?|atom|rdf)\/?$/i;
const FEED_QUERY =
  /[?&](?:feed|(?:flav|flavou?r|format|type|alt|output)=(?:rss|atom|rdf|feed|xml|json)[\d.]*)(?=[&=]|$)/i;
/** Under these a site's own programs talk to each other, or to its pages. */
const MACHINE_FOLDERS = [
  '.well-known wp-json cdn-cgi api graphql rpc jsonrpc trpc odata', // interfaces (RFC 8615 for the first; WordPress; Cloudflare)
  '_next __nextjs _nuxt __nuxt _app _astro _server _server-islands _actions _image _ipx _vercel _netlify .netlify page-data', // frameworks
  '@vite @id @fs @react-refresh node_modules __webpack_hmr __vite_ping sockjs-node _framework _blazor', // bundlers, Blazor
  'socket.io engine.io sockjs ws websocket websockets cable signalr hubs mercure phoenix live/websocket', // sockets
  'livewire _livewire broadcasting sanctum rails/active_storage rails/mailers _debugbar _profiler _wdt', // Laravel, Rails, Symfony
  'actuator _health _status _ping __health', // health checks in folders of their own
  '.git .svn .hg .aws .ssh .vscode .idea', // what scanners look for
].flatMap((line) => line.split(' '));
/** As a whole path: health checks of platforms and load balancers, measurements, and end points without a folder. */
const MACHINE_PATHS = [
  'health healthz health-check health_check healthcheck livez readyz ready readiness liveness alive heartbeat ping up -/health -/healthy -/ready -/readiness -/liveness _image', // health, pictures in other sizes
  'metrics server-status server-info nginx_status stub_status fpm-status haproxy', // measurements
  'graphql rpc jsonrpc ws websocket cable mercure csrf-token sanctum/csrf-cookie', // interfaces
].flatMap((line) => line.split(' '));
const escaped = (names: string[]) => names.map((name) => name.replace(/[.]/g, '\\.')).join('|');
const MACHINE_PATH = new RegExp(
  String.raw`^(?:https?://[^/]+)?/(?:(?:${escaped(MACHINE_FOLDERS)})/|(?:${escaped(MACHINE_PATHS)})/?$)|/(?:xmlrpc|wp-cron|admin-ajax|wp-trackback)\.php$`,
  'i',
);
/** What routers add when they load parts of a page: Next.js, Remix, SvelteKit; WordPress's interfaces without pretty addresses. */
const PART_QUERY =
  /[?&](?:_rsc|__rsc|_data|x-sveltekit-invalidated|rest_route|wc-ajax|doing_wp_cron|__livewire|_pjax|x-inertia)(?=[&=]|$)/i;

/**
 * A document, not an image, style, script, font, media file, archive, source text, feed or a file for crawlers; and not what a
 * site's own programs ask for: parts of a page, interfaces, sockets, health checks.
 */
export function isPage(target: string): boolean {
  if (!/^(?:\/|https?:\/\/)/i.test(target)) return false;
  const [path = ''] = target.split(/[?#]/, 1);
  if (FEED_PATH.test(path) || FEED_QUERY.test(target)) return false;
  if (MACHINE_PATH.test(path) || PART_QUERY.test(target)) return false;
  const ending = ENDING.exec(path.slice(path.lastIndexOf('/')))?.[1];
  return ending === undefined || !FILE_ENDINGS.has(ending.toLowerCase());
}
