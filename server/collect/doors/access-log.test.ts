// The log format as Apache httpd and nginx document it, and as real servers break it.
import { describe, expect, test } from 'vitest';
import { isPage, MAX_LINE_BYTES, parseLine } from './access-log.ts';

const REST = '"https://example.org/a" "Mozilla/5.0 (X11)"';
const line = (request: string, rest = `200 2326 ${REST}`) =>
  `203.0.113.7 - frank [10/Oct/2025:13:55:36 -0700] "${request}" ${rest}`;

describe('a line of the combined format', () => {
  test('is read with its own time zone', () => {
    expect(parseLine(line('GET /apache_pb.gif HTTP/1.0'))).toEqual({
      address: '203.0.113.7',
      time: Date.UTC(2025, 9, 10, 20, 55, 36),
      method: 'GET',
      target: '/apache_pb.gif',
      status: 200,
      bytes: '2326',
      referrer: 'https://example.org/a',
      userAgent: 'Mozilla/5.0 (X11)',
    });
  });

  test('may contain IPv6 addresses, host names, user names with spaces, and extra fields at its end', () => {
    const text = '2001:db8::1 - Ada Byron [01/Jan/2026:00:00:00 +0530] "GET / HTTP/2.0" 304 - "-" "-" "x" rt=0.1';
    expect(parseLine(text)).toMatchObject({ address: '2001:db8::1', bytes: '-', referrer: '', userAgent: '' });
    expect(parseLine(text)?.time).toBe(Date.UTC(2025, 11, 31, 18, 30));
    expect(parseLine(text.replace('2001:db8::1', 'host.example.net'))?.address).toBe('host.example.net');
  });

  test('may contain quotes and bytes as either server escapes them', () => {
    const apache = parseLine(
      line(String.raw`GET /caf\xc3\xa9?q=\"a\\b\" HTTP/1.1`, `200 1 "-" "A \\"quoted\\" agent"`),
    );
    expect(apache).toMatchObject({ target: '/café?q="a\\b"', userAgent: 'A "quoted" agent' });
    expect(parseLine(line(String.raw`GET /?q=\x22a\x5C HTTP/1.1`))?.target).toBe('/?q="a\\');
  });

  test('may lack a version, contain a space in the target, or be a request to a proxy', () => {
    expect(parseLine(line('GET /'))?.target).toBe('/');
    expect(parseLine(line('GET /a b HTTP/1.1'))?.target).toBe('/a b');
    expect(parseLine(line('GET http://other.example/ HTTP/1.1'))?.target).toBe('http://other.example/');
  });

  test.each([
    ['nothing', ''],
    ['prose', 'not a log at all'],
    ['a TLS handshake', line(String.raw`\x16\x03\x01\x02`)],
    ['no request', line('-')],
    ['the common format, which lacks the user agent', line('GET / HTTP/1.1', '200 5')],
    ['a quote that never ends', line('GET / HTTP/1.1', '200 5 "-" "Mozilla')],
    ['a day that does not exist', line('GET /').replace('10/Oct', '31/Feb')],
    ['an hour that does not exist', line('GET /').replace(':13:', ':24:')],
    ['a misspelt month', line('GET /').replace('Oct', 'Okt')],
  ])('is not %s', (_what, text) => {
    expect(parseLine(text)).toBeUndefined();
  });

  test('is read to the end, up to the longest line that a file may hold', () => {
    const spaces = ' '.repeat(MAX_LINE_BYTES - line('GET /').length);
    expect(parseLine(line(`GET /${spaces}a`))?.target).toBe(`/${spaces}a`);
    expect(parseLine(`${line('GET /').slice(0, -1)}${'\\"'.repeat(16_000)}`)).toBeUndefined();
    expect(parseLine('[10/Oct/2025:13:55:36 -0700] "'.repeat(1000))).toBeUndefined();
  });
});

describe('a page', () => {
  test.each([
    '/',
    '/about',
    '/a/index.html',
    '/a.HTM?x=y.png',
    '/shop.php?id=3',
    '/x.aspx',
    '/x.jsp',
    '/x.shtml',
    '/x.xhtml',
    '/release/v1.2',
    '/releases/1.10.3',
    '/people/john.mcdonald',
    '/sites/example.com',
    '/feedback',
    '/?format=wide',
    '/file.css/',
    'https://example.com/a',
    '/api', // a page of documentation
    '/docs/api/',
    '/docs/graphql',
    '/apiary/bees',
    '/healthy-food',
    '/health/tips',
    '/status',
    '/live',
    '/?data=1',
    '/?q=_rsc',
    '/database',
    '/metrics-that-matter',
  ])('is %s', (target) => {
    expect(isPage(target)).toBe(true);
  });

  test.each([
    '/logo.png',
    '/LOGO.JPG?v=2',
    '/style.css#x',
    '/app.mjs',
    '/a.woff2',
    '/film.mp4',
    '/src.tar.gz',
    '/paper.pdf',
    '/robots.txt',
    '/favicon.ico',
    '/sitemap.xml',
    '/data.json',
    '/feed',
    '/blog/feed/',
    '/comments/rss',
    '/tags/puppet?flav=rss20',
    '/?feed=rss2',
    '/?page=2&format=atom',
    '/.well-known/security.txt',
    '/.well-known/acme-challenge/x',
    '/wp-json/wp/v2/posts',
    '/blog/xmlrpc.php',
    // parts of pages that routers load
    '/pricing?_rsc=1ld0r',
    '/?a=b&_rsc=x',
    '/about.data',
    '/_root.data',
    '/about.data?_routes=routes%2Fabout',
    '/about?_data=routes%2Fabout',
    '/about/__data.json',
    '/?x-sveltekit-invalidated=01',
    '/_next/data/build/index.json',
    '/_next/image?url=%2Fa.png&w=640',
    '/_next/static/chunks/main',
    '/__nextjs/x',
    '/_nuxt/entry',
    '/_nuxt/builds/latest',
    '/_payload.json',
    '/_ipx/w_200/a.png',
    '/_astro/index',
    '/_image?href=x',
    '/_server-islands/Avatar',
    '/_actions/send',
    '/_app/remote/1x/get',
    '/_vercel/insights/view',
    '/.netlify/functions/x',
    '/page-data/index/page-data.json',
    '/@vite/client',
    '/@fs/home',
    '/node_modules/x',
    '/_blazor/negotiate',
    // interfaces and sockets
    '/api/',
    '/api/users/1',
    '/API/users',
    'https://example.com/api/users',
    '/graphql',
    '/graphql/',
    '/trpc/site.list',
    '/rpc/x',
    '/?rest_route=/wp/v2/posts',
    '/?wc-ajax=get_refreshed_fragments',
    '/socket.io/?EIO=4&transport=polling',
    '/sockjs-node/info',
    '/ws',
    '/cable',
    '/livewire/update',
    '/sanctum/csrf-cookie',
    '/broadcasting/auth',
    '/rails/active_storage/blobs/x',
    // health checks and measurements
    '/health',
    '/healthz',
    '/health-check',
    '/livez',
    '/readyz',
    '/ping',
    '/up',
    '/-/health',
    '/_health/db',
    '/actuator/health',
    '/metrics',
    '/server-status',
    '/nginx_status',
    '/.git/config',
    '*',
    'example.com:443',
  ])('is not %s', (target) => {
    expect(isPage(target)).toBe(false);
  });
});
