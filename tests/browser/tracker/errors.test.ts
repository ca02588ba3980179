// `foot.js?errors` in Chromium: which errors it tells of, what is left of their words, when, and when not.
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { shapeOfMessage } from '../../../server/vocabulary/texts/error-shape.ts';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { openSite, type Site } from './site.ts';
import { builtErrors } from './script.ts';

const MAX_BYTES = 1000;

let site: Site;
let chromium: OpenBrowser;
let script: string;

beforeAll(async () => {
  [script, chromium] = await Promise.all([builtErrors(), openBrowser()]);
});
beforeEach(async () => {
  site = await openSite();
  site.text('/errors.js', script);
});
afterAll(() => chromium[Symbol.asyncDispose]());

const tag = (attributes = '') =>
  `<script data-site="site.test" ${attributes} src="${site.origin('stats.test')}/errors.js?errors"></script>`;

type Told = { kind: string; message: string; file?: string; line: number; count: number };
type Sent = { name: string; url: string; error: Told };
const told = () => site.posts.map(({ event }) => event as unknown as Sent).filter(({ name }) => name === 'error');

const hide = (page: Page) => page.evaluate(() => void window.dispatchEvent(new Event('visibilitychange')));

/** Opens a page whose script runs once the part listens. */
async function open(inPage: string, attributes = ''): Promise<Page> {
  site.page('/page', '<h1>Hello</h1>', { bare: true, head: tag(attributes) + `<script>${inPage}</script>` });
  const page = await site.newPage(chromium);
  await page.goto(site.url('/page?a=b'));
  return page;
}

test(`the script is at most ${MAX_BYTES} bytes with brotli, defines no global name and stores nothing`, () => {
  const bytes = brotliCompressSync(script).length;
  console.log(`foot-errors.js: ${bytes} bytes with brotli`);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  expect(script).toMatch(/^\{.*\}\n?$/s);
  expect(script).not.toMatch(/document\.cookie|sessionStorage|setItem|footfall_ignore=[^=]|eval|Function\(|console/);
  expect(script).toMatch(/^[ -~\n]*$/); // in whichever encoding it is read
  expect(script).not.toMatch(/\(\?<[=!]/); // Safari before 16.4 would refuse the whole script
});

describe('what is told', () => {
  test('an error in a script: its words without those of a person, its file and its line, soon after it happened', async () => {
    site.text(
      '/shop/app.js',
      '\n\nthrow new TypeError("No basket of \\u201cJane Doe\\u201d at jane@example.org, card 4242 4242");',
    );
    const page = await open(
      `document.head.append(Object.assign(document.createElement('script'), { src: '/shop/app.js?token=abc#d' }))`,
    );
    const [post] = await site.posted((all) => all.length === 1);
    const { error, ...sent } = post?.event as unknown as Sent;
    expect(sent).toMatchObject({ site: 'site.test', name: 'error', url: site.url('/page?a=b'), webdriver: true });
    expect(error).toEqual({
      kind: 'error',
      message: 'Uncaught TypeError: No basket of [text] at [address] card # #',
      file: site.url('/shop/app.js'),
      line: 3,
      count: 1,
    });
    expect(JSON.stringify(post?.event)).not.toMatch(/jane|doe|4242|abc/i);
    expect(post?.headers['content-type']).toMatch(/^text\/plain/);
    await page.close();
  });

  test('rejections: of errors with their file, and of other values', async () => {
    const page = await open(
      `Promise.reject(new RangeError('Item 12345678 is gone')); Promise.reject('no connection'); Promise.reject({ secret: 1 });
       Promise.reject(); Promise.reject(null);`,
    );
    await site.posted((all) => all.length === 5);
    const errors = told().map(({ error }) => error);
    expect(errors.sort((a, b) => (a.message < b.message ? -1 : 1))).toMatchObject([
      { kind: 'rejection', message: 'RangeError: Item [id] is gone', file: site.url('/page'), line: 1 },
      { kind: 'rejection', message: '[object Object]' },
      { kind: 'rejection', message: 'no connection', line: 0 },
      { kind: 'rejection', message: 'null' },
      { kind: 'rejection', message: 'undefined' },
    ]);
    await page.close();
  });

  test('scripts, styles and pictures of the page’s and the site’s hosts that cannot be loaded, and of no other', async () => {
    for (const path of ['/gone.js', '/gone.css', '/gone.png', '/gone.gif', '/gone', '/site.test/gone.gif'])
      site.page(path, '', { bare: true, status: 404 });
    const on = (host: string, path: string) => site.origin(host) + path;
    const elements = [
      ['script', '/gone.js'],
      ['script', on('site.test', '/gone.js')],
      ['link', on('static.cdn.site.test', '/gone.css')],
      ['img', '/gone.png?token=abc'],
      ['img', on('img.page.test', '/gone.png')],
      ...['other.test', 'notsite.test', 'site.test.other.test', 'pagextest.test'].map((host) => [
        'img',
        on(host, '/gone.gif'),
      ]),
      ['img', on('other.test', '/site.test/gone.gif')],
      ['iframe', '/gone'],
    ];
    const inPage = `for (const [name, address] of ${JSON.stringify(elements)})
      document.head.append(Object.assign(document.createElement(name), name === 'link' ? { rel: 'stylesheet', href: address } : { src: address }));`;
    site.page('/page', '<h1>Hello</h1>', {
      bare: true,
      head: `${tag()}<script>addEventListener('load', () => { ${inPage} })</script>`,
    });
    const page = await site.newPage(chromium);
    await page.goto(on('page.test', '/page')); // a further host of the site
    await site.posted((all) => all.length === 5);
    await hide(page);
    const found = told().map(({ error: { kind, message, file } }) => [kind, message, file]);
    expect(found.sort()).toEqual([
      ['load', 'img', on('img.page.test', '/gone.png')],
      ['load', 'img', on('page.test', '/gone.png')],
      ['load', 'link', on('static.cdn.site.test', '/gone.css')],
      ['load', 'script', on('page.test', '/gone.js')],
      ['load', 'script', on('site.test', '/gone.js')],
    ]);
  });

  test('ten shapes of a page view at most; their repeats are counted, and told when it is hidden', async () => {
    const page = await open(
      `const fail = (words) => window.dispatchEvent(new ErrorEvent('error', { message: words, filename: location.origin + '/a.js' }));
       for (let n = 0; n < 100; n++) fail('Error of kind ' + 'abcdefghijklmnopqrstuvwxyz'[n % 26] + n);`,
    );
    await site.posted((all) => all.length === 10);
    expect(told().map(({ error }) => error.count)).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
    await page.evaluate(() => {
      for (let n = 0; n < 3; n += 1)
        window.dispatchEvent(
          new ErrorEvent('error', { message: `Error of kind a${n}`, filename: `${location.origin}/a.js` }),
        );
    });
    await hide(page);
    await site.posted((all) => all.length === 11);
    expect(told().at(-1)?.error).toMatchObject({ message: 'Error of kind a#', count: 3 });
    expect(new Set(site.posts.map(({ event }) => event.id)).size).toBe(11);
  });

  test('the words that the server would keep, whatever is in the message', async () => {
    const messages = [
      '"a" b',
      'don’t',
      '“don’t tell” it',
      '‘Jane’s bag’ is',
      'x'.repeat(700),
      'a@b.c d/e 1.2',
      '„a“ “b',
      'Ünï٣',
    ];
    const words = JSON.stringify(JSON.stringify(messages)).replace(
      /[^ -~]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const page = await open(
      `for (const message of JSON.parse(${words})) window.dispatchEvent(new ErrorEvent('error', { message, filename: location.origin + '/a.js' }))`,
    );
    await site.posted((all) => all.length === messages.length);
    expect(told().map(({ error }) => error.message)).toEqual(messages.map(shapeOfMessage));
    await page.close();
  });
});

describe('nothing is told', () => {
  const FAIL = `window.dispatchEvent(new ErrorEvent('error', { message: 'Error', filename: location.origin + '/a.js' }));`;
  const QUIET: [why: string, attributes: string, inPage?: string][] = [
    ['when switched off on the page', 'data-errors="off"'],
    ['in a browser that is left out', '', `localStorage.footfall_ignore = 'true'`],
    ['when a hook stops it', 'data-before="stop"', 'window.stop = () => false'],
    ['when a hook fails', 'data-before="stop"', 'window.stop = () => { throw new Error() }'],
    ['without a site', 'data-site=""'],
  ];
  test.each(QUIET)('%s', async (_, attributes, inPage = '') => {
    const own = attributes.includes('data-site') ? tag().replace('data-site="site.test"', attributes) : tag(attributes);
    site.page('/quiet', '', { bare: true, head: `<script>${inPage}</script>${own}<script>${FAIL}</script>` });
    site.page('/loud', '', { bare: true, head: `${tag()}<script>${FAIL}</script>` });
    const page = await site.newPage(chromium);
    await page.goto(site.url('/quiet'));
    await hide(page);
    await page.evaluate(() => delete localStorage['footfall_ignore']);
    await page.goto(site.url('/loud'));
    const [post] = await site.posted((all) => all.length === 1);
    expect(post?.event.url).toBe(site.url('/loud'));
  });

  test('of extensions, and of scripts of which the browser tells nothing', async () => {
    const page = await open(
      `for (const filename of ['chrome-extension://a/b.js', 'moz-extension://a/b.js', 'safari-web-extension://a/b.js', ''])
         window.dispatchEvent(new ErrorEvent('error', { message: 'Script error.', filename }));
       const error = new Error('x'); error.stack = 'Error: x\\n at f (chrome-extension://a/b.js:1:2)'; Promise.reject(error); ${FAIL}`,
    );
    await site.posted((all) => all.length === 1);
    await hide(page);
    expect(told().map(({ error }) => error.message)).toEqual(['Error']);
  });

  test('when a value of the page cannot be read, and nothing breaks', async () => {
    const page = await open(
      `Promise.reject(Object.create(null)); Promise.reject({ get stack() { throw 1 } }); ${FAIL}`,
    );
    await site.posted((all) => all.length === 1);
    expect(told().map(({ error }) => error.message)).toEqual(['Error']);
    await page.close();
  });

  test('twice: a tag of the page’s own is kept, and what is joined to foot.js stays quiet', async () => {
    site.text('/joined/foot.js', script);
    const joined = `<script defer data-site="site.test" src="${site.origin('stats.test')}/joined/foot.js"></script>`;
    site.page('/both', '', { bare: true, head: `${joined}${tag()}` });
    const page = await site.newPage(chromium);
    await page.goto(site.url('/both'));
    await page.evaluate(FAIL);
    await site.posted((all) => all.length === 1);
    await hide(page);
    expect(told()).toHaveLength(1);
  });
});
