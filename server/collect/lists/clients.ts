// Names of browsers and systems as the field's reports show them, and where ua-parser-js is wrong or silent.
// Source: the browsers' own documentation and user agents seen; written by hand, 2026-11. Each rule says why it is there.
import type { Device } from '../../event.ts';

/** ua-parser-js's name → ours; one that is missing stays as it is. */
export const browserNames: Record<string, string> = {
  'Mobile Safari': 'Safari',
  'Mobile Chrome': 'Chrome',
  'Mobile Firefox': 'Firefox',
  'Chrome Headless': 'Chrome',
  'Chrome WebView': 'Chrome WebView',
  'Android Browser': 'Android Browser',
  IE: 'Internet Explorer',
  IEMobile: 'Internet Explorer',
  'Opera Mobi': 'Opera Mobile',
  'Opera Tablet': 'Opera Mobile',
  'Opera Coast': 'Opera',
  UCBrowser: 'UC Browser',
  Yandex: 'Yandex Browser',
  QQBrowser: 'QQ Browser',
  '360 Browser': '360 Browser',
  'Samsung Browser': 'Samsung Internet',
  GSA: 'Google App',
  'Edge Mobile': 'Edge',
  'Facebook Messenger': 'Messenger',
  WebKit: 'Safari',
  'Silk Browser': 'Silk',
};

/** ua-parser-js's names and `Sec-CH-UA-Platform` → ours. */
export const systemNames: Record<string, string> = {
  'Mac OS': 'macOS',
  'Chromium OS': 'Chrome OS',
  'Windows Phone': 'Windows Phone',
  'Windows Mobile': 'Windows Mobile',
  ...Object.fromEntries(
    [
      ...['GNU/Linux', 'Linux', 'Ubuntu', 'Debian', 'Fedora', 'Mint', 'Arch', 'CentOS', 'RedHat', 'Red Hat', 'SUSE'],
      ...['openSUSE', 'Gentoo', 'Slackware', 'Mandriva', 'Mageia', 'Manjaro', 'Zenwalk', 'PCLinuxOS', 'VectorLinux'],
      ...['Linpus', 'Joli', 'elementary OS', 'Sabayon', 'Raspbian', 'Deepin', 'Kubuntu', 'Xubuntu', 'Lubuntu', 'GNU'],
      ...['Linspire', 'Solus', 'Trisquel', 'Hurd', 'Knoppix', 'Puppy'],
    ].map((name) => [name, 'Linux']),
  ),
};

/** Brands of `Sec-CH-UA` → ours; brands that are missing are GREASE or of no use. */
export const brandNames: Record<string, string> = {
  'Google Chrome': 'Chrome',
  Chromium: 'Chromium',
  'Microsoft Edge': 'Edge',
  'Microsoft Edge WebView2': 'Edge WebView2',
  Opera: 'Opera',
  'Opera GX': 'Opera GX',
  'Opera Mobile': 'Opera Mobile',
  OperaMobile: 'Opera Mobile',
  'Opera Mini Android': 'Opera Mini',
  Brave: 'Brave',
  Vivaldi: 'Vivaldi',
  YaBrowser: 'Yandex Browser',
  Yandex: 'Yandex Browser',
  'Samsung Internet': 'Samsung Internet',
  DuckDuckGo: 'DuckDuckGo',
  'DuckDuckGo Privacy Browser': 'DuckDuckGo',
  Whale: 'Whale',
  CocCoc: 'Coc Coc',
  'Android WebView': 'Chrome WebView',
  'Norton Private Browser': 'Norton Private Browser',
  'Avast Secure Browser': 'Avast Secure Browser',
  'AVG Secure Browser': 'AVG Secure Browser',
  'CCleaner Browser': 'CCleaner Browser',
  'Huawei Browser': 'Huawei Browser',
  HuaweiBrowser: 'Huawei Browser',
  'MIUI Browser': 'MIUI Browser',
  Silk: 'Silk',
  'Amazon Silk': 'Silk',
  'Ecosia Browser': 'Ecosia',
  Atom: 'Atom',
  Iron: 'Iron',
};

type BrowserRule = { pattern: RegExp; name: string };
export const browserRules: BrowserRule[] = [];

type SystemRule = { pattern: RegExp; name: string; version?: string };
export const systemRules: SystemRule[] = [];

type DeviceRule = { pattern: RegExp; device: Device };
export const deviceRules: DeviceRule[] = [
  // HbbTV and the makers' own tokens: ua-parser-js knows most makers, not all platforms.
  {
    pattern:
      /HbbTV|SMART-TV|SmartTV|GoogleTV|Android ?TV|AppleTV|Apple TV|CrKey|\bBRAVIA\b|\bAFT[A-Z0-9]{1,6}\b|\bRoku\b|NetCast|Web0S|webOS\.TV/i,
    device: 'tv',
  },
  { pattern: /PlayStation|\bXbox\b|Nintendo/i, device: 'console' },
  { pattern: /\bWatch\b|watchOS|\bWear ?OS\b|SM-R[89]\d\d/i, device: 'wearable' },
  { pattern: /\bTesla\/|QtCarBrowser|Android Automotive|\bAAOS\b/i, device: 'car' },
];
