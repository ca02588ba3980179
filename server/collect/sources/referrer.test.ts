import { expect, test } from 'vitest';
import { MEDIUMS, readPlaces } from '../lists/sources.ts';
import { readReferrer, sourceNamed, sourceOfName } from './referrer.ts';

const isNeverOwn = () => false;

const MEDIUM_OF = {
  search: `www.google.com www.google.de www.google.co.uk www.google.com.br cse.google.com bing.com cn.bing.com duckduckgo.com
    search.yahoo.com de.search.yahoo.com uk.yahoo.com search.brave.com www.ecosia.org www.startpage.com www.qwant.com kagi.com
    yandex.ru ya.ru yandex.com.tr www.baidu.com m.baidu.com www.sogou.com www.so.com m.sm.cn search.naver.com search.daum.net
    search.seznam.cz go.mail.ru nova.rambler.ru search.aol.com www.ask.com coccoc.com petalsearch.com www.msn.com search.avira.com www.kiddle.co presearch.io search.gmx.com www.zoznam.sk`,
  social: `www.facebook.com m.facebook.com l.facebook.com lm.facebook.com fb.me l.instagram.com t.co x.com twitter.com
    www.linkedin.com lnkd.in www.reddit.com old.reddit.com out.reddit.com www.pinterest.com pinterest.de www.tiktok.com
    www.threads.net bsky.app mastodon.social hachyderm.io t.me web.telegram.org web.whatsapp.com discord.com app.slack.com
    news.ycombinator.com www.quora.com medium.com vk.com away.vk.com ok.ru weibo.com www.zhihu.com www.tumblr.com
    stackoverflow.com github.com www.producthunt.com lobste.rs dev.to www.xing.com www.snapchat.com groups.google.com
    l.threads.com masto.ai l.wl.co www.trustpilot.com rtl.de www.lemon8-app.com`,
  video:
    'www.youtube.com m.youtube.com youtu.be vimeo.com player.vimeo.com www.twitch.tv www.dailymotion.com www.bilibili.com rumble.com',
  shopping: `www.amazon.com www.amazon.co.uk www.amazon.de www.ebay.com www.ebay.de www.etsy.com www.walmart.com
    www.aliexpress.com shop.app www.idealo.de shopping.google.com market.yandex.ru shopping.naver.com www.temu.com
    www.google.com/shopping www.bing.com/shop www.ikea.com www.kleinanzeigen.de`,
  email: `mail.google.com outlook.live.com outlook.office.com mail.yahoo.com mail.proton.me mail.aol.com e.mail.ru
    mail.yandex.ru mail.qq.com email.seznam.cz navigator.gmx.net deref-web.de mail.zoho.com app.fastmail.com webmail.example.org
    www.icloud.com`,
  ai: `chatgpt.com chat.openai.com claude.ai www.perplexity.ai gemini.google.com bard.google.com copilot.microsoft.com grok.com
    x.ai chat.deepseek.com chat.mistral.ai www.meta.ai you.com poe.com www.phind.com character.ai duck.ai chat.qwen.ai
    www.kimi.com www.doubao.com notebooklm.google.com edgeservices.bing.com www.bing.com/chat duckduckgo.com/duckchat
    www.office.com/chat grok.x.com arena.ai metaso.cn venice.ai`,
  news: 'news.google.com apple.news news.yahoo.com feedly.com ground.news',
  referral:
    'en.wikipedia.org docs.google.com www.some-blog.example maps.apple.com archive.org play.google.com some-tool.vercel.app someone.github.io',
} as const;

test.each(Object.entries(MEDIUM_OF))('hosts of medium %s', (medium, hosts) => {
  const wrong = hosts
    .split(/\s+/)
    .filter((host) => readReferrer(`https://${host}/some/page?q=1`, isNeverOwn)?.medium !== medium);
  expect(wrong).toEqual([]);
});

test.each([
  ['https://www.google.de/search?q=secret', 'www.google.de/search', 'Google'],
  ['https://blog.example.org/a%20b?x=1#y', 'blog.example.org/a%20b', 'blog.example.org'],
  ['https://www.example.org/', 'www.example.org', 'example.org'],
  ['https://user:pw@example.org/', 'example.org', 'example.org'],
  ['https://www.bing.com/chat', 'www.bing.com/chat', 'Copilot'],
  ['https://www.bing.com/chatter', 'www.bing.com/chatter', 'Bing'],
  ['https://x.com/i/grok', 'x.com/i/grok', 'Grok'],
  ['https://x.com/someone/status/1', 'x.com/someone/status/1', 'X'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm', 'Gmail'],
  ['android-app://com.openai.chatgpt', 'com.openai.chatgpt', 'ChatGPT'],
  ['android-app://m.facebook.com/', 'm.facebook.com', 'Facebook'],
  ['android-app://com.pinterest.lite/', 'com.pinterest.lite', 'Pinterest'],
  ['android-app://com.google.android.apps.photos/', 'com.google.android.apps.photos', 'com.google.android.apps.photos'],
  ['https://www.google.com/shopping/product/1', 'www.google.com/shopping/product/1', 'Google Shopping'],
  ['https://some-tool.netlify.app/', 'some-tool.netlify.app', 'some-tool.netlify.app'],
  ['ios-app://284882215/fb', 'fb', 'Facebook'],
  ['android-app://org.example.reader/', 'org.example.reader', 'org.example.reader'],
])('%s is %s from %s', (address, referrer, source) => {
  expect(readReferrer(address, isNeverOwn)).toMatchObject({ referrer, source });
});

test.each([
  'https://google.com.evil.example/',
  'https://notgoogle.com/',
  'https://googIe.com.co/',
  'https://facebook.com.login.example/',
  'https://xn--ggle-55da.com/',
  'https://mychatgpt.com/',
  'https://amazon.evil/',
  'https://yandex.evil.org/',
])('%s looks like a source, but is not one', (address) => {
  expect(readReferrer(address, isNeverOwn)).toMatchObject({ medium: 'referral', source: new URL(address).hostname });
});

test.each(['', 'about:blank', 'data:text/html,x', 'javascript:alert(1)', 'https://', 'not an address', '\u0000'])(
  '%j is not a referrer',
  (address) => {
    expect(readReferrer(address, isNeverOwn)).toBeUndefined();
  },
);

test("the site's own hosts are not referrers", () => {
  expect(readReferrer('https://shop.example.com/', (host) => host.endsWith('example.com'))).toBeUndefined();
});

test('a referrer of any length is read without its query, and limited to 512 characters', () => {
  const long = readReferrer(`https://example.org/${'a'.repeat(5_000)}?${'b'.repeat(60_000)}`, isNeverOwn);
  expect(long?.referrer).toHaveLength(512);
});

test.each([
  ['fb', 'Facebook'],
  ['Facebook_Ads', 'Facebook'],
  ['Google Ads', 'Google'],
  ['www.linkedin.com', 'LinkedIn'],
  ['chatgpt.com', 'ChatGPT'],
  ['https://news.ycombinator.com/', 'Hacker News'],
  ['duck-duck-go', 'DuckDuckGo'],
  ['com.linkedin.android', 'LinkedIn'],
  ['com.google.android.gm', 'Gmail'],
  ['threads', 'Threads'],
])('a link tagged %s is from %s', (tag, source) => {
  expect(sourceOfName(tag)?.source).toBe(source);
});

test.each(['', 'spring-sale', 'x'.repeat(300), 'example.org', 'ads', 'shop', 'orange', 'monica', 'atlas'])(
  'the tag %.20s is a source of its own',
  (tag) => {
    expect(sourceOfName(tag)).toBeUndefined();
  },
);

test('each medium has sources, and every host is spelled as in real requests', () => {
  const { hosts, exactHosts, paths } = readPlaces();
  const all = [...hosts, ...exactHosts];
  for (const medium of MEDIUMS)
    expect(
      all.some(([, source]) => source.medium === medium),
      medium,
    ).toBe(true);
  const odd = [...all.map(([host]) => host), ...paths.keys()].filter(
    (host) => URL.parse(`https://${host}/`)?.hostname !== host,
  );
  expect(odd).toEqual([]);
});

test.each([
  ['lightmailer-new.web.de', 'Web.de Mail', 'email'],
  ['deref-web-07.de', 'Web.de Mail', 'email'],
  ['deref-gmx.co.uk', 'GMX Mail', 'email'],
  ['navigator-v2.gmx.ch', 'GMX Mail', 'email'],
  ['3c-lxa.mail.com', 'mail.com', 'email'],
  ['deref-1und1.de', '1&1 Mail', 'email'],
  ['business-mail.ionos.fr', 'IONOS Mail', 'email'],
  ['webmail3.bluewin.ch', 'Bluewin Mail', 'email'],
  ['messagerie-12.orange.fr', 'Orange Mail', 'email'],
  ['mail.telekom.de', 'T-Online Mail', 'email'],
  ['suche2.web.de', 'Web.de', 'search'],
  ['recherche.orange.be', 'Orange', 'search'],
  ['search.gmx.us', 'GMX', 'search'],
  ['preisvergleich.gmx.net', 'GMX Shopping', 'shopping'],
  ['shopping.t-online.de', 'T-Online Shopping', 'shopping'],
  ['www.kelkoo.com.au', 'Kelkoo', 'shopping'],
  ['www.idealo.pl', 'Idealo', 'shopping'],
])('%s, which is not listed, is recognised as a host of %s', (host, source, medium) => {
  expect(readReferrer(`https://${host}/x`, isNeverOwn)).toMatchObject({ source, medium });
});

test('a new host of any known provider is recognised by the service in its name', () => {
  const subdomains = { email: 'webmail-9x', shopping: 'shopping-9x', search: 'search-9x' };
  const wrong = [...readPlaces().families].flatMap(([domain, family]) =>
    Object.entries(family).flatMap(([medium, source]) => {
      const host = `${subdomains[medium as keyof typeof subdomains]}.${domain}`;
      const found = readReferrer(`https://${host}/`, isNeverOwn);
      return found?.source === source.source && found.medium === medium ? [] : [`${host}: ${found?.source}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test.each(['kelkoo.evil.example', 'deref-web.de.evil.example', 'webde.mail.example.org', 'mygmx.net'])(
  '%s only looks like a host of a known provider',
  (host) => {
    expect(readReferrer(`https://${host}/`, isNeverOwn)).toMatchObject({ source: host, medium: 'referral' });
  },
);

test.each([
  'localhost:3000',
  'app.localhost',
  '127.0.0.1',
  '[::1]',
  '10.1.2.3:8080',
  '172.31.255.255',
  '192.168.1.4',
  '169.254.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '[fd00::1]',
  '[fe80::1]',
  '[::ffff:10.0.0.1]',
  '0x7f.1',
  'intranet',
  'printer.local',
  'wiki.internal',
  'router.lan',
  'box.home.arpa',
  'shop.test',
])('a page at %s does not count as a referrer', (host) => {
  expect(readReferrer(`http://${host}/page`, isNeverOwn)).toBeUndefined();
});

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '[2001:db8::1]', 'localhost.example', 'local.example.org'])(
  'a page at %s, which is public, counts as a referrer',
  (host) => {
    expect(readReferrer(`http://${host}/page`, isNeverOwn)?.medium).toBe('referral');
  },
);

test('a source that another product names has the name that it has here, and no list is needed for one of our own', () => {
  const named = {
    'm.facebook.com': 'Facebook',
    twitter: 'X',
    'Hacker News': 'Hacker News',
    ' NoCode ': 'nocode',
    '': '',
  };
  for (const [name, source] of Object.entries(named)) expect(sourceNamed(name)).toBe(source);
  const { homes, names } = readPlaces();
  const listed = new Set([...homes.keys(), ...[...names.values()].map(({ source }) => source)]);
  expect([...listed].filter((source) => sourceNamed(source) !== source)).toEqual([]);
});
