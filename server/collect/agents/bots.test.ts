import { readFileSync } from 'node:fs';
import crawlers from 'crawler-user-agents';
import { expect, test } from 'vitest';
import { recogniseAi } from './ai.ts';
import { BOT_REASONS, botReason } from './bots.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36';

function reasonOf(userAgent: string, headers: Record<string, string> = {}, webdriver = false) {
  return botReason({ userAgent, headers, webdriver });
}

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot_user_agent'],
  [
    'Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0 Mobile Safari/537.36',
    'bot_user_agent',
  ],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'bot_user_agent'],
  ['curl/8.6.0', 'bot_user_agent'],
  ['python-requests/2.31.0', 'bot_user_agent'],
  ['Go-http-client/2.0', 'bot_user_agent'],
  ['Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0', 'bot_user_agent'],
  [`${CHROME} GTmetrix`, 'bot_user_agent'],
  [`${CHROME} DatadogSynthetics`, 'bot_user_agent'],
  ['Mozilla/5.0 (Windows; U; MSIE 9.0; Windows NT 9.0; en-US)', 'bot_user_agent'],
  ['Mozilla/5.0', 'bot_user_agent'],
  // bots that add their own name to a browser's user agent
  [`${CHROME} (compatible; SomethingNew/1.0)`, 'bot_user_agent'],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Cloudtrellis/1.0) Chrome/126.0', 'bot_user_agent'],
  [`${CHROME} FastmailUA/1.0`, 'bot_user_agent'],
  ['Mozilla/5.0 (compatible; Proofpoint)', 'bot_user_agent'],
  ['Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1237', 'bot_user_agent'],
  [`${CHROME} 36b1546a5700e52eb2972b3f92b314fa`, 'bot_user_agent'],
  ['Mozilla/5.0 (Linux; Android 4.1.1; Nexus 7 Build/JRO03D; Catchpoint) Chrome/18.0 Safari/535.19', 'bot_user_agent'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Somebot',
    'bot_user_agent',
  ],
  ['SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 (compatible; Googlebot-Mobile/2.1)', 'bot_user_agent'],
  // programs that name no browser, system or device
  ['Bluthund/1.9.0 Bluthund.Worker/1.9.0', 'bot_user_agent'],
  ['PayPal/AUHR-214.0-51787073', 'bot_user_agent'],
  // tools that name the system on which they run, and no rendering engine
  ...[
    'acmetool/2.1 (Linux; amd64)',
    'widgetctl/v3.0 (darwin/arm64) widget/9f8e7d6',
    'kubectl/v1.29.0 (linux/amd64) kubernetes/3f7a50f',
    'Gradle/8.5 (Linux;6.5.0;amd64) (Eclipse Adoptium;17.0.9;17.0.9+9)',
    'cri-o/1.28.1 go/go1.20.10 os/linux arch/amd64',
    'Cygwin-Setup/2.926 (Windows NT 10.0.19045;Win64;en)',
    'docker/24.0.7 go/go1.20.10 git-commit/311b9ff kernel/6.5.0 os/linux arch/amd64',
    'Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US) PHP/5.2 Reaver/1.4',
    'Mozilla/5.0 (Windows) mirall/3.10.1stable-Win64 (Nextcloud, windows-10.0.19045 ClientArchitecture: x86_64)',
    'terraform/1.6.0 (Linux)',
  ].map((userAgent) => [userAgent, 'bot_user_agent']),
  ['', 'no_user_agent'],
  ['   ', 'no_user_agent'],
  [CHROME.replace('Chrome/', 'HeadlessChrome/'), 'headless'],
  [
    'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
    'headless',
  ],
])('%.90s is kept out: %s', (userAgent, reason) => {
  expect(reasonOf(userAgent)).toBe(reason);
});

test.each([
  ['Sec-Purpose', 'prefetch'],
  ['Sec-Purpose', 'prefetch;prerender'],
  ['Purpose', 'prefetch'],
  ['Purpose', 'preview'],
  ['X-Moz', 'prefetch'],
  ['X-Purpose', 'preview'],
])('a request with %s: %s is not a visit yet', (name, value) => {
  expect(reasonOf(CHROME, { [name.toLowerCase()]: value })).toBe('prefetch');
});

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const TV = 'Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0 Safari/537.36';

test.each([
  `${TV} OPR/46.0 OMI/4.22 HbbTV/1.6.1 (+DRM; VESTEL; MB181; 1.0; ; http://www.vestel.com; )`,
  `${TV} SMART-TV Model/MB130 (+https://tv.example; support@tv.example)`,
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0 Safari/537.36 WebAppManager (http://lgappstv.com)',
  `${IPHONE} CityGuide/3.2 (+https://guide.example/contact)`,
  `${IPHONE} CityGuide/3.2 (iOS; help@guide.example)`,
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0 Mobile Safari/537.36 CityGuide/3.2 (https://guide.example)',
  `${CHROME} Electron/28.1 Notes/2.0 (+https://notes.example)`,
])('%.150s is a person, although the user agent contains an address', (userAgent) => {
  expect(reasonOf(userAgent)).toBeUndefined();
});

test.each([
  `${CHROME} (+https://scanner.example)`,
  `${CHROME} Something/1.0 (help@scanner.example)`,
  `${TV} HbbTV/1.6.1 (compatible; Something/1.0; +https://scanner.example)`,
  `${IPHONE} SomeCrawler/1.0 (+https://scanner.example)`,
])('%.150s is a machine, since only machines put an address there', (userAgent) => {
  expect(reasonOf(userAgent)).toBe('bot_user_agent');
});

test('an automated browser is a bot, whether it or only its client hints say so', () => {
  expect(reasonOf(CHROME, {}, true)).toBe('webdriver');
  expect(reasonOf(CHROME, { 'sec-ch-ua': '"HeadlessChrome";v="124"' })).toBe('headless');
  expect(reasonOf(CHROME, { 'sec-ch-ua': '"Google Chrome";v="124"' })).toBeUndefined();
});

test('each reason occurs', () => {
  const met = [
    reasonOf('curl/8'),
    reasonOf(''),
    reasonOf(CHROME, {}, true),
    reasonOf('HeadlessChrome'),
    reasonOf(CHROME, { purpose: 'prefetch' }),
  ];
  expect(new Set(met)).toEqual(new Set(BOT_REASONS));
});

test.each([
  ...[
    'CUBOT X30',
    'CUBOT_KINGKONG',
    'POWER BOT',
    'VR bot 552',
    'OSCAL Spider 8',
    'Discovery II Mini',
    'Radar Deluxe',
    '4K Google TV Stick',
  ].map(
    (model) =>
      `Mozilla/5.0 (Linux; Android 11; ${model} Build/RP1A) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36`,
  ),
  'Mozilla/5.0 (Linux; Android 9; Gemini Pro) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 AppleNews/900.1 Version/17.0',
  'Mozilla/5.0 (Linux; Android 12; M2101K6G; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/103.0 Mobile Safari/537.36 NewsArticle/9.1.2',
  'Mozilla/5.0 (Linux; Android 12; CPH2219; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/110.0 Mobile Safari/537.36 Grab/5.300.0',
  'Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0 Mobile Safari/537.36 com.google.android.googlequicksearchbox',
  'Mozilla/5.0 (Linux; Android 10; Redmi Note 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/93.0 Mobile Safari/537.36 SogouMobileBrowser/5.31.0',
  ...[
    'MicroMessenger/8.0.53.2740(0x28003534) Process/tools WeChat/arm64 Weixin NetType/WIFI',
    'BBC News/7.2.0',
    'GooglePhotos/6.1',
    'Hotels.com/100.1',
    'FeedR/5.12.1',
    'Daum/7.1.0',
  ].flatMap((app) => [
    `Mozilla/5.0 (Linux; Android 14; SM-A536B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0 Mobile Safari/537.36 ${app}`,
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 ${app}`,
  ]),
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) FeedTools/1.2.0 Chrome/128.0.6613.186 Electron/32.2.2 Safari/537.36',
  'Mozilla/5.0 (Linux; arm_64; Android 12; OSCAL Spider 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 YaBrowser/24.1 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; X30; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Mobile Safari/537.36 [FB_IAB/FB4A;FBMF/CUBOT;FBDV/CUBOT X30;]',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1 NewsBreak/24.49',
  'Mozilla/5.0 (Linux; Android 13; SM-S908B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0 Mobile Safari/537.36 MicrosoftCopilot/5.12.1',
  'AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/118.0.0.0 Mobile DuckDuckGo/5 Safari/537.36',
  'LG/KU990i/v10a Browser/Obigo-Q05A/3.6 MMS/LG-MMS-V1.0/1.2 Java/ASVM/1.0 Profile/MIDP-2.0 Configuration/CLDC-1.1',
  '[FBAN/FBIOS;FBAV/283.0.0.44.117;FBBV/238386386;FBDV/iPhone12,1;FBMD/iPhone;FBSN/iOS;FBSV/13.6.1]',
  'Mozilla/5.0 (Windows NT 6.1; WOW64; rv:5.0) Gecko/20100101 Firefox/5.0 FirePHP/0.5',
  'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; WOW64; Trident/5.0; chromeframe/19.0.1084.52)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Claude/0.9.3 Chrome/128.0 Electron/32.2.7 Safari/537.36',
  'Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1 OpenSSL/1.1.1d',
  'Dillo/3.0.5',
  'iCab/2.9.8 (Macintosh; U; PPC)',
  'Nokia6100/1.0 (04.01) Profile/MIDP-1.0 Configuration/CLDC-1.0',
  'Mozilla/3.0 (DreamKey/2.0)',
])('%.200s is a person', (userAgent) => {
  expect(reasonOf(userAgent)).toBeUndefined();
  expect(recogniseAi({ userAgent })).toBeUndefined();
});

test('all bots of crawler-user-agents are recognised except three, which are people in apps', () => {
  const letIn = crawlers.flatMap(({ pattern, instances }) =>
    instances.filter((userAgent) => !reasonOf(userAgent) && !recogniseAi({ userAgent })).map(() => pattern),
  );
  expect(letIn).toEqual(['AP3A\\.240617\\.008', 'MetaIAB Facebook', 'Fluid']);
});

test("no user agent of today's visitors is dropped", () => {
  const path = new URL('../../../node_modules/user-agents/dist/user-agents.json', import.meta.url);
  const people = JSON.parse(readFileSync(path, 'utf8')) as { userAgent: string }[];
  expect(people.length).toBe(10_000);
  expect(people.filter(({ userAgent }) => reasonOf(userAgent) ?? recogniseAi({ userAgent }))).toEqual([]);
});
