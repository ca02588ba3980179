import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseClient } from './device.ts';

type ClientHints = Parameters<typeof parseClient>[1];

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36';
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0';
const WEBVIEW =
  'Mozilla/5.0 (Linux; Android 14; SM-S911B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.6367.82 Mobile Safari/537.36';

function read(userAgent: string, hints: ClientHints = {}): string {
  const { browser, browser_version, os, os_version, device } = parseClient(userAgent, hints);
  return `${browser} ${browser_version} | ${os} ${os_version} | ${device}`;
}

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
  'the brand, platform and model %s are unknown ones',
  (word) => {
    const hints = { brands: `"${word}";v="1"`, platform: `"${word}"`, model: `"${word}"` };
    expect(read(WINDOWS, hints)).toBe('Chrome 124 | Windows 10 | desktop');
  },
);

test.each([
  // systems of televisions, headsets and consoles beside the Linux or Android that they are made of
  [
    'Mozilla/5.0 (Linux; VIDAA; MT9602) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/85.0 Safari/537.36 VIDAA/5.0',
    'Chrome 85 | VIDAA 5 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Philips TitanOS; 55PUS8919) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0 Safari/537.36',
    'Chrome 108 | Titan OS  | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 11; Whale OS; TV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0 Safari/537.36',
    'Chrome 90 | Whale OS  | tv',
  ],
  [
    'Mozilla/5.0 (Linux; NetTV/6.0; Saphi) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0 Safari/537.36',
    'Chrome 80 | Saphi  | tv',
  ],
  [
    `${ANDROID.replace('; K)', '; Acer Chromebook Spin 713 Build/R114)')} Safari/537.36`,
    'Chrome 124 | Chrome OS  | desktop',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; HorizonOS 74) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/38 Chrome/132.0 Safari/537.36',
    'Oculus Browser 38 | Meta Horizon  | wearable',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; A8110 Build) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/105 VR Safari/537.36 PICO OS/5.0',
    'Chrome 105 | PICO OS 5 | wearable',
  ],
  ['Mozilla/4.0 (PSP (PlayStation Portable); 2.00)', 'PlayStation Browser  | PlayStation Portable  | console'],
  [
    'Mozilla/5.0 (Apple Vision Pro; visionOS 1.0) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15',
    'Safari 17 | visionOS 1 | wearable',
  ],
  // browsers that name themselves beside Chrome, before it or after
  [`${WINDOWS} Thorium/124.0.6367.218`, 'Thorium 124 | Windows 10 | desktop'],
  [`${WINDOWS} LuluBrowser/2.1`, 'Lulu Browser 2 | Windows 10 | desktop'],
  [WINDOWS.replace('Safari/', 'Herring/95.1 Safari/'), 'Herring 95 | Windows 10 | desktop'],
  [`${ANDROID} Mobile Safari/537.36 KiteBrowser/7.0`, 'Kite Browser 7 | Android 10 | mobile'],
  [`${ANDROID} Mobile Safari/537.36 Kiwi/124.0.6367.82`, 'Kiwi 124 | Android 10 | mobile'],
  [`${ANDROID} Mobile Safari/537.36 ShopApp/7.0`, 'Chrome 124 | Android 10 | mobile'],
  // no other word of a user agent is kept: it may name a person
  [`${WINDOWS} JaneDoeBrowser/1.0`, 'Chrome 124 | Windows 10 | desktop'],
  // browsers and apps that keep the name of the browser that they are based on
  [`${WINDOWS} OPR/116.0.0.0 (Edition GX)`, 'Opera GX 116 | Windows 10 | desktop'],
  [`${WEBVIEW} OPR/85.0.2254.74198`, 'Opera Mini 85 | Android 14 | mobile'],
  [`${WINDOWS} Norton/131.0.27894.265`, 'Norton Private Browser 131 | Windows 10 | desktop'],
  [`${WINDOWS} CCleaner/131.0`, 'CCleaner Browser 131 | Windows 10 | desktop'],
  [`${IPHONE} Mobile/15E148 KAKAOTALK 11.0.1`, 'KakaoTalk 11 | iOS 17.5 | mobile'],
  [`${IPHONE} Mobile/15E148 Viber/23.9.0`, 'Viber 23 | iOS 17.5 | mobile'],
  [`${IPHONE} Mobile/15E148 Safari/605.1.15 BingSapphire/1.0.4103`, 'Bing 1 | iOS 17.5 | mobile'],
  [`${WEBVIEW} com.linkedin.android/4.1.1030`, 'LinkedIn 4 | Android 14 | mobile'],
  [`${WEBVIEW} Outlook-Android/2.0`, 'Outlook 2 | Android 14 | mobile'],
  [`${WEBVIEW} NewsArticle/10.8.6`, 'Toutiao 10 | Android 14 | mobile'],
  [`${WEBVIEW} AliApp(TB/10.40.10)`, 'Taobao 10 | Android 14 | mobile'],
  [WINDOWS.replace('Chrome/', 'discord/1.0.9175 Chrome/'), 'Discord 1 | Windows 10 | desktop'],
  [LINUX.replace(/Chrome.*/, 'Konqueror (WebEngine)'), 'Konqueror  | Linux  | desktop'],
  [
    'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.0.5.302',
    'Huawei Browser 5 | HarmonyOS 5 | mobile',
  ],
  [
    'Mozilla/5.0 (PC; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 HuaweiBrowser/5.0.5.302',
    'Huawei Browser 5 | HarmonyOS 5 | desktop',
  ],
  // televisions
  [
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36',
    'Samsung Internet  | Tizen 7 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Andr0id 9; BRAVIA 4K UR2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/71.0.3578.99 Safari/537.36 OPR/46.0.2207.0 OMI/4.13',
    'Opera 46 | Android 9 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 11.0; VIDAA) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.152 Safari/537.36 OPR/46.0 OMI/4.21 VIDAA/6.0 (Hisense;SmartTV;55A6G)',
    'Opera 46 | VIDAA 6 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 11; ULX-43FTCS2234-T9 Build/RP1A.200720.011; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/109.0.5414.117 YaBrowser/24.1.2.86 (lite) TV Safari/537.36',
    'Yandex Browser 24 | Android 11 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; B-STREAM) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    'Chrome 124 | Android 10 | tv',
  ],
  // apps that put the system after their own name
  [
    'com.google.android.youtube/2.4.4(Linux; U; Android 2.3.5; en_US; SCH-I500 Build/GINGERBREAD) gzip',
    '  | Android 2.3 | mobile',
  ],
  ['CastBox/4.8.1 (fm.castbox.audiobook.radio.podcast; build:2; iOS 11.2.5)', '  | iOS 11.2 | mobile'],
  [
    'Mozilla/5.0 (iPad3,6; iPad; U; CPU OS 7_1 like Mac OS X; en_US) com.google.GooglePlus/33839 (KHTML, like Gecko) Mobile/P103AP (gzip)',
    '  | iOS 7.1 | tablet',
  ],
  ['atc/1.0 watchOS', '  | watchOS  | wearable'],
  // a model number that contradicts the word Mobile
  [
    'Mozilla/5.0 (Linux; Android 9; SM-T515) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
    'Chrome 124 | Android 9 | tablet',
  ],
  [
    'Mozilla/5.0 (Linux; Android 8.1.0; Pixel 2 XL) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/63.0.3239.111 Safari/537.36',
    'Chrome 63 | Android 8.1 | mobile',
  ],
  [
    'Mozilla/5.0 (Linux; Android 5.0; BNTV450) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/63.0.3239.111 Safari/537.36',
    'Chrome 63 | Android 5 | tablet',
  ],
  // browsers
  [WINDOWS, 'Chrome 124 | Windows 10 | desktop'],
  [`${WINDOWS} Edg/124.0.2478.67`, 'Edge 124 | Windows 10 | desktop'],
  [`${WINDOWS} OPR/109.0.0.0`, 'Opera 109 | Windows 10 | desktop'],
  [`${WINDOWS} Vivaldi/6.7`, 'Vivaldi 6 | Windows 10 | desktop'],
  [WINDOWS.replace('Safari/537.36', 'YaBrowser/24.4.0.0 Safari/537.36'), 'Yandex Browser 24 | Windows 10 | desktop'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0',
    'Firefox 125 | Windows 10 | desktop',
  ],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0', 'Firefox 125 | Linux  | desktop'],
  [
    'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Internet Explorer 11 | Windows 7 | desktop',
  ],
  ['Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.1; Trident/4.0)', 'Internet Explorer 8 | Windows 7 | desktop'],
  [`${MAC} Version/17.4.1 Safari/605.1.15`, 'Safari 17 | macOS 10.15 | desktop'],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari 17 | iOS 17.5 | mobile'],
  [`${IPHONE} CriOS/124.0.6367.88 Mobile/15E148 Safari/604.1`, 'Chrome 124 | iOS 17.5 | mobile'],
  [`${IPHONE} FxiOS/125.0 Mobile/15E148 Safari/605.1.15`, 'Firefox 125 | iOS 17.5 | mobile'],
  [`${IPHONE} EdgiOS/124.0 Version/17.0 Mobile/15E148 Safari/604.1`, 'Edge 124 | iOS 17.5 | mobile'],
  [`${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1 Ddg/17.5`, 'DuckDuckGo 17 | iOS 17.5 | mobile'],
  [`${IPHONE} Mobile/15E148`, 'Safari  | iOS 17.5 | mobile'],
  [`${ANDROID} Mobile Safari/537.36`, 'Chrome 124 | Android 10 | mobile'],
  [`${ANDROID} Safari/537.36`, 'Chrome 124 | Android 10 | tablet'],
  [
    ANDROID.replace('Chrome', 'SamsungBrowser/25.0 Chrome') + ' Mobile Safari/537.36',
    'Samsung Internet 25 | Android 10 | mobile',
  ],
  [WEBVIEW, 'Chrome WebView 124 | Android 14 | mobile'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0', 'Firefox 125 | Android 14 | mobile'],
  ['Mozilla/5.0 (Android 14; Tablet; rv:125.0) Gecko/125.0 Firefox/125.0', 'Firefox 125 | Android 14 | tablet'],
  [
    'Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10',
    'Opera Mini 7 | Java ME  | mobile',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    'Chrome 124 | Chrome OS  | desktop',
  ],
  // Safari freezes iOS at 18 from version 26 on
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
    'Safari 26 | iOS 26.1 | mobile',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
    'Safari 12 | iOS 12.5 | tablet',
  ],
  // in-app browsers
  [`${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/462.0.0.37.106;FBDV/iPhone14,5]`, 'Facebook 462 | iOS 17.5 | mobile'],
  [`${IPHONE} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/400.0]`, 'Messenger  | iOS 17.5 | mobile'],
  [`${WEBVIEW} [FB_IAB/FB4A;FBAV/462.0.0.47.85;]`, 'Facebook 462 | Android 14 | mobile'],
  [`${WEBVIEW} Instagram 330.0.0.40.92 Android (34/14; 480dpi)`, 'Instagram 330 | Android 14 | mobile'],
  [`${IPHONE} Mobile/15E148 Instagram 330.0.2.32.93 (iPhone14,5; iOS 17_5)`, 'Instagram 330 | iOS 17.5 | mobile'],
  [
    `${IPHONE} Mobile/15E148 musical_ly_34.5.0 JsSdk/2.0 NetType/WIFI BytedanceWebview/d8a21c6`,
    'TikTok 34 | iOS 17.5 | mobile',
  ],
  [`${IPHONE} Mobile/15E148 [LinkedInApp]/9.29.4123`, 'LinkedIn 9 | iOS 17.5 | mobile'],
  [`${IPHONE} Mobile/15E148 Twitter for iPhone/10.40`, 'X  | iOS 17.5 | mobile'],
  [
    `${IPHONE} Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/en`,
    'WeChat 8 | iOS 17.5 | mobile',
  ],
  [`${IPHONE} Mobile/15E148 Safari Line/14.6.1`, 'LINE 14 | iOS 17.5 | mobile'],
  [`${IPHONE} GSA/318.0.632517000 Mobile/15E148 Safari/604.1`, 'Google App 318 | iOS 17.5 | mobile'],
  // televisions, consoles, wearables, cars
  [
    'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager',
    'Chrome 87 | webOS  | tv',
  ],
  [
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.0 Chrome/76 TV Safari/537.36',
    'Samsung Internet 3 | Tizen 6 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7633) AppleWebKit/537.36 (KHTML, like Gecko) Silk/112.4 like Chrome/112.0 Safari/537.36',
    'Silk 112 | Android  | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    'Chrome 124 | Android 12 | tv',
  ],
  [
    'Mozilla/5.0 (Linux; Android 11; H96 Max) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    'Chrome 124 | Android 11 | tv',
  ],
  [
    'Mozilla/5.0 (PlayStation; PlayStation 5/8.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
    'PlayStation Browser  | PlayStation 5 | console',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36 Edge/44.18363.8131',
    'Edge 44 | Xbox  | console',
  ],
  [
    'Mozilla/5.0 (Nintendo Switch; WebApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474',
    'Nintendo Browser 5 | Nintendo  | console',
  ],
  [
    'Mozilla/5.0 (Linux; Tizen 5.5; SAMSUNG SM-R840) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/2.0 Chrome/69.0 Mobile Safari/537.36',
    'Samsung Internet 2 | Tizen 5.5 | wearable',
  ],
  [
    'Mozilla/5.0 (Linux; Android 12; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/33.0 SamsungBrowser/4.0 Chrome/124.0 VR Safari/537.36',
    'Oculus Browser 33 | Meta Horizon  | wearable',
  ],
  [
    'Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chromium/109.0 Chrome/109.0 Safari/537.36 Tesla/2023.44.30',
    'Tesla Browser 2023 | Linux  | car',
  ],
  // old phones
  ['Nokia6100/1.0 (04.01) Profile/MIDP-1.0 Configuration/CLDC-1.0', '  | Java ME  | mobile'],
  [
    'Mozilla/5.0 (BB10; Touch) AppleWebKit/537.3+ (KHTML, like Gecko) Version/10.0.9.386 Mobile Safari/537.3+',
    'BlackBerry Browser  | BlackBerry OS 10 | mobile',
  ],
  ['Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5', 'Firefox 48 | KaiOS 2.5 | mobile'],
  // nothing known
  ['', '  |   | other'],
  ['x', '  |   | other'],
])('%s', (userAgent, client) => {
  expect(read(userAgent)).toBe(client);
});

const CHROME = '"Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99"';

test.each<[what: string, userAgent: string, hints: ClientHints, client: string]>([
  [
    'Windows 11',
    WINDOWS,
    { brands: CHROME, platform: '"Windows"', platformVersion: '"15.0.0"' },
    'Chrome 124 | Windows 11 | desktop',
  ],
  ['Windows 10', WINDOWS, { platform: '"Windows"', platformVersion: '"10.0.0"' }, 'Chrome 124 | Windows 10 | desktop'],
  ['Windows 8.1', WINDOWS, { platform: '"Windows"', platformVersion: '"0.3.0"' }, 'Chrome 124 | Windows 8.1 | desktop'],
  [
    'a Mac',
    MAC.replace('605.1.15', '537.36') + ' Chrome/124.0.0.0 Safari/537.36',
    { platform: '"macOS"', platformVersion: '"14.4.1"' },
    'Chrome 124 | macOS 14.4 | desktop',
  ],
  [
    'an iPad as Macintosh',
    `${MAC} Version/17.4.1 Safari/605.1.15`,
    { touchPoints: 5 },
    'Safari 17 | iOS 17.4 | tablet',
  ],
  [
    'a Mac without touch',
    `${MAC} Version/17.4.1 Safari/605.1.15`,
    { touchPoints: 0 },
    'Safari 17 | macOS 10.15 | desktop',
  ],
  [
    'Brave',
    WINDOWS,
    { brands: '"Chromium";v="124", "Brave";v="124", "Not-A.Brand";v="99"' },
    'Brave 124 | Windows 10 | desktop',
  ],
  [
    'Edge in full',
    `${WINDOWS} Edg/124.0.0.0`,
    { brands: '"Chromium";v="124.0.6367.91", "Microsoft Edge";v="124.0.2478.67"' },
    'Edge 124 | Windows 10 | desktop',
  ],
  [
    'Chromium alone',
    LINUX,
    { brands: '"Chromium";v="124", "Not-A.Brand";v="99"', platform: '"Linux"' },
    'Chromium 124 | Linux  | desktop',
  ],
  [
    'grease',
    WINDOWS,
    { brands: '" Not A;Brand";v="99", ";Evil";v="9", "Chromium";v="124", "Google Chrome";v="124"' },
    'Chrome 124 | Windows 10 | desktop',
  ],
  [
    'a reduced phone',
    `${ANDROID} Mobile Safari/537.36`,
    { platform: '"Android"', platformVersion: '"14.0.0"', mobile: '?1', model: '"Pixel 8"' },
    'Chrome 124 | Android 14 | mobile',
  ],
  [
    'a reduced tablet',
    `${ANDROID} Safari/537.36`,
    { platform: '"Android"', platformVersion: '"14.0.0"', mobile: '?0', model: '"SM-X710"' },
    'Chrome 124 | Android 14 | tablet',
  ],
  [
    'a reduced television',
    `${ANDROID} Safari/537.36`,
    { platform: '"Android"', mobile: '?0', model: '"BRAVIA VU31"' },
    'Chrome 124 | Android 10 | tv',
  ],
  [
    'a reduced set-top box',
    `${ANDROID} Safari/537.36`,
    { platform: '"Android"', mobile: '?0', model: '"MXQ-4K"' },
    'Chrome 124 | Android 10 | tv',
  ],
  [
    'hints alone',
    '',
    { brands: CHROME, platform: '"Android"', platformVersion: '"14"', mobile: '?1' },
    'Chrome 124 | Android 14 | mobile',
  ],
  [
    'made-up hints',
    WINDOWS,
    { platform: '"<b>"', platformVersion: '"99"', brands: 'x'.repeat(9_999) },
    'Chrome 124 | Windows 10 | desktop',
  ],
])('client hints tell %s', (_, userAgent, hints, client) => {
  expect(read(userAgent, hints)).toBe(client);
});

test('today’s traffic gets the device class of the data set, and no browser or system is unknown', () => {
  const path = new URL('../../../node_modules/user-agents/dist/user-agents.json', import.meta.url);
  const seen = JSON.parse(readFileSync(path, 'utf8')) as { userAgent: string; deviceCategory: string }[];
  const wrong = seen.filter(({ userAgent, deviceCategory }) => {
    const { device, browser, os } = parseClient(userAgent, {});
    return device !== deviceCategory || browser === '' || os === '';
  });
  expect(seen.length).toBe(10_000);
  expect(wrong).toEqual([]);
});
