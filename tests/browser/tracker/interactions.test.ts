import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { type Site, openSite } from './site.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

/** Opens a page that stays open, whatever is clicked. */
async function open(site: Site, body: string, attributes?: string): Promise<Page> {
  site.page('/', body, { attributes });
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  await page.evaluate(() => {
    for (const type of ['click', 'auxclick', 'submit', 'contextmenu'])
      addEventListener(type, (event) => {
        if (type !== 'click' || (event.target as Element).closest('a')) event.preventDefault();
      });
  });
  await site.names(1);
  return page;
}

const eventsAfterView = async (site: Site, page: Page) => {
  const posts = await site.postsUntilNow(page);
  return posts.slice(1).map(({ event: { name, props, interactive } }) => ({
    name,
    ...(props && { props }),
    ...(interactive === false && { interactive }),
  }));
};

const LINKS: [link: string, sent: object | undefined][] = [
  [
    'https://elsewhere.test/shop?email=ada@example.com',
    { name: 'outbound_link', props: { url: 'https://elsewhere.test/shop' } },
  ],
  ['//elsewhere.test/', { name: 'outbound_link', props: { url: 'http://elsewhere.test/' } }],
  ['/files/Guide.PDF?v=2', { name: 'file_download', props: { url: 'http://site.test/files/Guide.PDF' } }],
  ['https://elsewhere.test/app.zip', { name: 'file_download', props: { url: 'https://elsewhere.test/app.zip' } }],
  ['mailto:ada@example.com?subject=Hi', { name: 'email_link' }],
  ['tel:+49301234567', { name: 'phone_link' }],
  [
    'https://elsewhere.test/cb#access_token=secret',
    { name: 'outbound_link', props: { url: 'https://elsewhere.test/cb' } },
  ],
  ['/files/guide.pdf#page=3', { name: 'file_download', props: { url: 'http://site.test/files/guide.pdf' } }],
  ['/film.mp4', { name: 'file_download', props: { url: 'http://site.test/film.mp4' } }],
  ['blob:http://site.test/0c5d', undefined],
  ['https://', undefined],
  ['/about', undefined],
  ['#part', undefined],
  ['/pdf', undefined],
  ['/node.js', undefined],
  ['javascript:void(0)', undefined],
  ['sms:+49301234567', undefined],
];

test.each(LINKS)('a link to %s', async (href, sent) => {
  await using site = await openSite();
  const page = await open(site, `<a href="${href}"><b>link</b></a>`);
  await page.click('b');
  const expected = JSON.stringify(sent ? [sent] : []);
  expect(JSON.stringify(await eventsAfterView(site, page))).toBe(expected.replace('http://site.test', site.origin()));
});

test.each(['/report', '/files/table.parquet?v=2', 'https://elsewhere.test/archive'])(
  'a link with a download attribute counts as a download, whatever its type: %s',
  async (href) => {
    await using site = await openSite();
    const page = await open(site, `<a href="${href}" download="x"><b>save</b></a>`);
    await page.click('b');
    const url = new URL(href.split('?')[0] as string, site.origin()).href;
    expect(await eventsAfterView(site, page)).toEqual([{ name: 'file_download', props: { url } }]);
  },
);

describe('a link to another site', () => {
  const link = '<a href="https://elsewhere.test/"><svg width="9" height="9"><rect width="9" height="9"/></svg></a>';
  const sent = [{ name: 'outbound_link', props: { url: 'https://elsewhere.test/' } }];

  test.each(['left', 'middle'] as const)('counts by the %s button', async (button) => {
    await using site = await openSite();
    const page = await open(site, link);
    await page.click('svg', { button });
    expect(await eventsAfterView(site, page)).toEqual(sent);
  });

  test('counts by the keyboard, and where the page stops the event', async () => {
    await using site = await openSite();
    const page = await open(site, link);
    await page.evaluate(() => {
      const stop = (event: Event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      document.body.addEventListener('click', stop, true);
    });
    await page.focus('a');
    await page.keyboard.press('Enter');
    expect(await eventsAfterView(site, page)).toEqual(sent);
  });

  test.each(['Control', 'Shift', 'Alt', 'Meta'] as const)('counts once while the %s key is held down', async (key) => {
    await using site = await openSite();
    const page = await open(site, link);
    await page.click('svg', { modifiers: [key] });
    expect(await eventsAfterView(site, page)).toEqual(sent);
  });

  test('does not count by the right button', async () => {
    await using site = await openSite();
    const page = await open(site, link);
    await page.click('svg', { button: 'right' });
    expect(await eventsAfterView(site, page)).toEqual([]);
  });

  test('is sent even when the page is closing', async () => {
    await using site = await openSite();
    site.page('/', `<a href="${site.origin('elsewhere.test')}/">away</a>`);
    const page = await site.newPage(chromium);
    await page.goto(site.url('/'));
    await page.click('a');
    const posts = await site.posted((all) => all.some(({ event }) => event.name === 'outbound_link'));
    expect(posts.find(({ event }) => event.name === 'outbound_link')?.event.url).toBe(site.url('/'));
  });
});

test.each([
  [
    '<form action="/subscribe?token=1"><input name="mail" value="ada@example.com"><button>Go</button></form>',
    { action: '/subscribe' },
  ],
  [
    '<form id="search"><input name="action" value="x"><input name="id"><button>Go</button></form>',
    { action: 'search' },
  ],
  ['<form action="" id="letter"><button>Go</button></form>', { action: 'letter' }],
  ['<form action="/next#step"><input name="attributes"><button>Go</button></form>', { action: '/next' }],
  ['<form><button>Go</button></form>', {}],
])('the submission of %s', async (form, props) => {
  await using site = await openSite();
  const page = await open(site, form);
  await page.click('button');
  expect(await eventsAfterView(site, page)).toEqual([{ name: 'form_submit', props }]);
});

test.each([
  ['method="DIALOG"', '<form method="DIALOG"><button>x</button></form>', []],
  ['a button with formmethod="dialog"', '<form method="post"><button formmethod="Dialog">x</button></form>', []],
  ['such a button outside the form', '<form id="f"></form><button form="f" formmethod="dialog">x</button>', []],
  [
    'a button with formmethod="get"',
    '<form method="dialog"><button formmethod="get">x</button></form>',
    ['form_submit'],
  ],
])('in a dialog, a form is counted only if it submits something: %s', async (_what, form, names) => {
  await using site = await openSite();
  const page = await open(site, `<dialog open>${form}</dialog>`);
  await page.click('button');
  expect((await eventsAfterView(site, page)).map(({ name }) => name)).toEqual(names);
});

test('an invalid form was not submitted', async () => {
  await using site = await openSite();
  const page = await open(site, '<form><input required><button>Go</button></form>');
  await page.click('button');
  expect(await eventsAfterView(site, page)).toEqual([]);
});

const AUTOMATIC = {
  outbound_link: '<a href="https://elsewhere.test/">x</a>',
  file_download: '<a href="/guide.pdf">x</a>',
  email_link: '<a href="mailto:ada@example.com">x</a>',
  phone_link: '<a href="tel:1">x</a>',
  form_submit: '<form><button>x</button></form>',
};

test.each(Object.entries(AUTOMATIC))('%s is not counted where the snippet says so', async (name, body) => {
  await using site = await openSite();
  const page = await open(site, body, `data-${name}="off"`);
  await page.click('a, button');
  expect(await eventsAfterView(site, page)).toEqual([]);
});

test('a declared event is sent when the element or something in it is clicked, with its properties, and is interactive', async () => {
  await using site = await openSite();
  const page = await open(
    site,
    '<section data-foot="section"><button data-foot="signup" data-foot-plan="pro" data-foot-place-on-page="top" data-other="x"><b>Go</b></button></section>',
  );
  await page.click('b');
  expect(await eventsAfterView(site, page)).toEqual([
    { name: 'signup', props: { plan: 'pro', 'place-on-page': 'top' } },
  ]);
});

test('a declared form counts when it is submitted, not when it is clicked', async () => {
  await using site = await openSite();
  const page = await open(
    site,
    '<div data-foot="box"><form id="letter" data-foot="newsletter" data-foot-list="weekly"><i>in</i><button>Go</button></form></div>',
  );
  await page.click('i');
  await page.click('button');
  expect(await eventsAfterView(site, page)).toEqual([
    { name: 'newsletter', props: { list: 'weekly' } },
    { name: 'form_submit', props: { action: 'letter' } },
  ]);
});

test('a goal is reached once, when its lower edge becomes visible', async () => {
  await using site = await openSite();
  const page = await open(
    site,
    `<p data-foot-view="top_seen">top</p><p data-foot-view="never" style="display: none"></p>
     <div style="height: 3000px"></div><p data-foot-view="pricing_seen">pricing</p>
     <div style="height: 3000px"></div><p data-foot-view="end_seen">end</p>`,
  );
  const scrollTo = (selector: string) =>
    page.evaluate(
      (to) =>
        new Promise((resolve) => {
          addEventListener('scroll', resolve, { once: true });
          document.querySelector(to)?.scrollIntoView();
        }),
      selector,
    );
  await scrollTo('[data-foot-view=pricing_seen]');
  await scrollTo('[data-foot-view=top_seen]');
  await scrollTo('[data-foot-view=pricing_seen]');
  expect(await eventsAfterView(site, page)).toEqual([
    { name: 'top_seen', interactive: false },
    { name: 'pricing_seen', interactive: false },
  ]);
});

test('a goal at the end of the page is reached at the end', async () => {
  await using site = await openSite();
  // Half a pixel more than the page can scroll.
  const footer = '<footer data-foot-view="end_seen" style="height: 50.5px">end</footer>';
  const page = await open(site, `<style>body { margin: 0 }</style><div style="height: 3000px"></div>${footer}`);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        addEventListener('scroll', resolve, { once: true });
        scrollTo(0, 1_000_000);
      }),
  );
  expect(await eventsAfterView(site, page)).toEqual([{ name: 'end_seen', interactive: false }]);
});

test('elements that were rendered later count as well', async () => {
  await using site = await openSite();
  const page = await open(site, '<main></main>');
  await page.evaluate(() => {
    document.body.innerHTML =
      '<a id="late" href="tel:1" data-foot="late_click">x</a><p data-foot-view="late_seen">x</p><div style="height: 2000px">';
    return new Promise((resolve) => {
      addEventListener('scroll', resolve, { once: true });
      scrollTo(0, 1);
    });
  });
  await page.click('#late');
  const names = (await eventsAfterView(site, page)).map(({ name }) => name);
  expect(names).toEqual(['late_seen', 'late_click', 'phone_link']);
});
