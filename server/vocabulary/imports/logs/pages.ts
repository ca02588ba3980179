// Which requests of a log are for pages, and which of them were answered with one.

/** File extensions that are not pages. Paths with any other extension, or none, are: `.html`, `.php`, `.jsp`, `/v1.2`, `/john.mcdonald`. */
const FILE_ENDINGS = new Set(
  [
    'png jpg jpeg gif svg svgz webp avif bmp ico cur tif tiff heic psd eps apng jxl', // images
    'css scss less js mjs cjs map wasm xsl xslt xpi htc swf', // parts of pages
    'ttf otf woff woff2 eot pfb', // fonts
    'mp3 mp4 m4a m4v ogg ogv oga opus wav flac aac mid webm avi mov wmv mpg mpeg flv mkv 3gp m3u m3u8 mpd vtt srt', // media
    'zip gz tgz tar bz2 xz zst 7z rar jar war deb rpm dmg pkg iso img msi exe dll so bin apk ipa gem whl egg torrent', // archives
    'pdf doc docx xls xlsx ppt pptx odt ods odp rtf ps epub mobi vsd', // documents that are downloaded
    'rss atom rdf xml json jsonp json5 webmanifest manifest ics vcf csv tsv yml yaml toml sql sqlite db dat pcap kml kmz gpx', // feeds, data
    'txt log md markdown tex conf cfg ini env spec diff patch bak old orig swp asc sig md5 sha1 sha256 pem crt key', // plain text
    'data', // loaded by single-page apps in place of a page, such as React Router's `/about.data`
    'c h cc cpp hpp cs java class py pyc pyo rb go rs lua sh bash m4 mk ts tsx jsx vue coffee swift kt scala hs el vim', // sources
  ].flatMap((kind) => kind.split(' ')),
);
const ENDING = /\.([a-z0-9]{1,12})$/i;
/** Feeds without a file extension, recognised by their path or by the query parameter that selects a blog's format. */
const FEED_PATH = /\/(?:feeds?|rss2?|atom|rdf)\/?$/i;
const FEED_QUERY =
  /[?&](?:feed|(?:flav|flavou?r|format|type|alt|output)=(?:rss|atom|rdf|feed|xml|json)[\d.]*)(?=[&=]|$)/i;
/** Folders that programs request, not people. */
const MACHINE_FOLDERS = [
  '.well-known wp-json cdn-cgi api graphql rpc jsonrpc trpc odata', // interfaces (RFC 8615 for the first; WordPress; Cloudflare)
  '_next __nextjs _nuxt __nuxt _app _astro _server _server-islands _actions _image _ipx _vercel _netlify .netlify page-data', // frameworks
  '@vite @id @fs @react-refresh node_modules __webpack_hmr __vite_ping sockjs-node _framework _blazor', // bundlers, Blazor
  'socket.io engine.io sockjs ws websocket websockets cable signalr hubs mercure phoenix live/websocket', // sockets
  'livewire _livewire broadcasting sanctum rails/active_storage rails/mailers _debugbar _profiler _wdt', // Laravel, Rails, Symfony
  'actuator _health _status _ping __health', // health checks in folders of their own
  '.git .svn .hg .aws .ssh .vscode .idea', // requested by vulnerability scanners
].flatMap((line) => line.split(' '));
/** Whole paths that programs request: health checks of platforms and load balancers, metrics, and endpoints without a folder. */
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
/** Query parameters of partial page loads (Next.js, Remix, SvelteKit), and of WordPress's API when it runs without pretty permalinks. */
const PART_QUERY =
  /[?&](?:_rsc|__rsc|_data|x-sveltekit-invalidated|rest_route|wc-ajax|doing_wp_cron|__livewire|_pjax|x-inertia)(?=[&=]|$)/i;

/**
 * True for a document. False for images, styles, scripts, fonts, media, archives, source code, feeds and files for crawlers. Also false for
 * requests by programs: partial page loads, APIs, sockets and health checks.
 */
export function isPage(target: string): boolean {
  if (!/^(?:\/|https?:\/\/)/i.test(target)) return false;
  const [path = ''] = target.split(/[?#]/, 1);
  if (FEED_PATH.test(path) || FEED_QUERY.test(target)) return false;
  if (MACHINE_PATH.test(path) || PART_QUERY.test(target)) return false;
  const ending = ENDING.exec(path.slice(path.lastIndexOf('/')))?.[1];
  return ending === undefined || !FILE_ENDINGS.has(ending.toLowerCase());
}

/** Errors and redirects show a person no page. */
export const isServed = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

/** Logs of the web are younger; earlier times are those of a clock that was not set, as are those after LATEST. */
export const EARLIEST = Date.UTC(2000, 0, 1);
export const LATEST = Date.UTC(2100, 0, 1);

/** Why a request is not for reading a page, whatever its answer. */
export function noPageReason({ method, target }: { method: string; target: string }) {
  if (method !== 'GET') return 'method';
  return isPage(target) ? undefined : 'not_a_page';
}
