// The documentation as the server has it: which pages there are, that every link leads somewhere, what the search finds, and how it is sent.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listPages, type Section, writePage } from '../../docs/site/pages.ts';
import { openSearch } from '../../docs/site/search.ts';
import manifest from '../../package.json' with { type: 'json' };
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { testApp, type TestApp } from '../setup/app.ts';

const root = new URL('../..', import.meta.url).pathname;
const built = join(root, 'build/docs');
const read = (name: string) => readFileSync(join(built, name), 'utf8');
const files = readdirSync(built, { recursive: true, encoding: 'utf8' });
const pages = files.filter((name) => name.endsWith('.html'));
const listed = listPages().flatMap((group) => group.pages);
/** All matches of the pattern's group, once each. */
const all = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, one = '']) => one))];

test('there is a page for every guide, for those outside docs/ that the index lists, and for the API', () => {
  const guides = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.replace('.md', '.html'));
  const others = [
    'footfall',
    'index',
    'script',
    'deploy',
    'contributing',
    'architecture',
    'changelog',
    'vulnerabilities',
  ];
  const expected = [...guides, ...others.map((name) => `${name}.html`), 'api.html', '404.html'];
  expect(pages.toSorted()).toEqual(expected.toSorted());
  expect(listed.map(({ name }) => `${name}.html`).toSorted()).toEqual(
    expected.filter((name) => name !== '404.html').toSorted(),
  );
});

test.each(pages)('every link and file of %s is there, and nothing comes from elsewhere', (name) => {
  const html = read(name);
  const inside = (address: string) => (name === '404.html' ? address.replace(/^\/docs\//, '') : address);
  const loaded = all(html, /(?:\bsrc|data-index|<link [^>]*href)="([^"]*)"/g).map(inside);
  expect(loaded.filter((address) => !files.includes(address))).toEqual([]);
  const links = all(html, /<a [^>]*href="([^"]*)"/g).map(inside);
  const broken = links.filter((address) => {
    if (/^(https?:\/\/|mailto:)/.test(address)) return false;
    const [file = '', anchor] = address.split('#');
    if (file === '../docs') return name !== 'api.html'; // the server's own page
    if (file !== '' && !files.includes(file)) return true;
    return anchor !== undefined && !read(file === '' ? name : file).includes(` id="${anchor}"`);
  });
  expect(broken).toEqual([]);
  expect(all(html, / id="([^"]*)"/g).length).toBe([...html.matchAll(/ id="/g)].length); // no anchor twice
  expect(html).toContain(`Footfall ${manifest.version}: this documentation belongs to this version.`);
});

test('the API’s page describes every operation', () => {
  const html = read('api.html');
  const operations = Object.entries(OPERATIONS).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(all(html, /<h3 [^>]*>(\w+ \/v1[^ ]*) /g).toSorted()).toEqual(operations.toSorted());
});

test('text is shown as it is written, and no address is a script', () => {
  const hostile =
    '# <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n<details onclick=x>\n\n[a](javascript:alert(1)) `<b>`\n\n```\n</code><i>\n```\n';
  const { html } = writePage({ name: 'x', title: '<x>' }, hostile, { file: 'docs/x.md', copy: () => '' });
  expect(html).not.toMatch(/<(img|script|b|i|details)\b|href="javascript/);
  expect(html).toContain('&#60;script&#62;');
});

describe('the search', () => {
  const index = files.find((name) => /^assets\/search\..+\.json$/.test(name)) ?? '';
  const search = openSearch(JSON.parse(read(index)) as Section[]);
  const FOUND: [words: string, address: string][] = [
    ['UPGRADE_BACKUP', 'backups#upgrade'],
    ['funnel create', 'commands'],
    ['nginx', 'proxy#nginx'],
    ['bounce rate', 'counting#words'],
    ['GET /v1/funnels', 'api#get-v1funnels'],
    ['single sing-on', 'single-sign-on'],
  ];
  test.each(FOUND)('finds %s', (words, address) => {
    const found = search(words).map(({ page, anchor }) => (anchor === '' ? page : `${page}#${anchor}`));
    expect(found.slice(0, 3)).toContain(address);
  });

  test('finds each page by its title', () => {
    const lost = listed.filter(({ name, title }) => !search(title).some(({ page }) => page === name));
    expect(lost.map(({ title }) => title)).toEqual([]);
  });

  test('shows the words around what it found', () => {
    const [first] = search('UPGRADE_BACKUP');
    expect(first?.excerpt).toMatch(/^… .*UPGRADE_BACKUP.* …$/);
    expect(search('xyzzyplugh')).toEqual([]);
    expect(search('" < > * ( [')).toEqual([]);
  });
});

describe('the server', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await testApp();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const get = (path: string, options: RequestInit = {}) => fetch(`${server.url}${path}`, options);

  test('sends pages with a strict policy, and asks for them again at each visit', async () => {
    for (const path of ['/docs/', '/docs/index.html', '/docs/backups.html', '/docs/backups']) {
      const answer = await get(path, { headers: { 'accept-encoding': 'br' } });
      const { headers } = answer;
      expect([answer.status, headers.get('content-type'), headers.get('cache-control')], path).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(headers.get('content-encoding')).toBe('br');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'self'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('x-robots-tag')).toBe('noindex');
      const again = await get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      expect(again.status).toBe(304);
    }
    expect(await (await get('/docs/')).text()).toBe(read('index.html'));
    expect(await (await get('/docs/backups')).text()).toBe(read('backups.html'));
  });

  test('lets browsers keep files whose name changes with their content', async () => {
    for (const name of files.filter((one) => one.startsWith('assets/') && !/\.(br|gz)$/.test(one))) {
      const answer = await get(`/docs/${name}`, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('cache-control')], name).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  test('answers an unknown address with a page that leads back', async () => {
    for (const path of ['/docs/nothing', '/docs/a/b.html', '/docs/..%2f..%2fpackage.json', '/docs/__proto__']) {
      const answer = await get(path);
      expect([answer.status, await answer.text()], path).toEqual([404, read('404.html')]);
    }
    expect((await get('/docs/', { method: 'POST' })).status).toBe(405);
  });

  test('still shows the API to try at /docs', async () => {
    const html = await (await get('/docs')).text();
    expect(html).toContain('<title>Footfall API</title>');
    expect(html).toContain('href="/docs/"');
  });
});

test('a server without the built documentation says what to do', async () => {
  await using bare = await testApp({ built: join(root, 'tests/project') });
  const answer = await fetch(`${bare.url}/docs/backups`);
  expect([answer.status, await answer.text()]).toEqual([404, 'The documentation is not built: run `npm run docs`.\n']);
});
