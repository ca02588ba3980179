// Names of browsers, systems and devices in other products, and what Footfall calls them. Names that are not here stay as they are.
import { MAX_IMPORTED_NAME } from '../../settings/imports.ts';
import type { Device } from '../../event.ts';
import type { ImportedHit } from '../import.ts';
import { cleanText } from '../../texts/spelling.ts';
import { remember } from './memo.ts';

const MAX_LENGTH = 64;

/** What products write for a value that they do not have, in the languages of Google Analytics' interface. */
const NONE = new Set([
  '(not set)',
  '(none)',
  '(direct)',
  '(direct) / (none)',
  '(other)',
  '(data not available)',
  'direct / none',
  '(unknown)',
  'unknown',
  'undefined',
  'null',
  'n/a',
  '\\n', // NULL in a dump of PostgreSQL
  '(nicht festgelegt)',
  '(non défini)',
  '(non définie)',
  '(no definido)',
  '(sin definir)',
]);

/** A value as text for a label; '' for what stands for none. */
export const valueOf = (text: string, length = MAX_IMPORTED_NAME): string => {
  const clean = cleanText(text, length);
  return NONE.has(clean.toLowerCase()) ? '' : clean;
};

/** By lower case. From detect-browser (Umami), Matomo's device detector, Google Analytics and user agents. */
const BROWSERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'mobile chrome': 'Chrome',
    'chrome mobile': 'Chrome',
    'chrome mobile ios': 'Chrome',
    'chrome headless': 'Chrome',
    'google chrome': 'Chrome',
    chrome: 'Chrome',
    crios: 'Chrome',
    'chromium-webview': 'Chrome WebView',
    'chrome webview': 'Chrome WebView',
    'android webview': 'Chrome WebView',
    firefox: 'Firefox',
    'firefox mobile': 'Firefox',
    'firefox mobile ios': 'Firefox',
    'mobile firefox': 'Firefox',
    'mozilla firefox': 'Firefox',
    fxios: 'Firefox',
    safari: 'Safari',
    'mobile safari': 'Safari',
    'safari (in-app)': 'Safari',
    'mobile safari ui/wkwebview': 'Safari',
    ios: 'Safari',
    'ios-webview': 'Safari',
    edge: 'Edge',
    'microsoft edge': 'Edge',
    'edge mobile': 'Edge',
    'edge-chromium': 'Edge',
    'edge-ios': 'Edge',
    ie: 'Internet Explorer',
    'internet explorer': 'Internet Explorer',
    iemobile: 'Internet Explorer',
    opera: 'Opera',
    'opera mobile': 'Opera Mobile',
    'opera mini': 'Opera Mini',
    'opera-mini': 'Opera Mini',
    samsung: 'Samsung Internet',
    'samsung browser': 'Samsung Internet',
    'samsung internet': 'Samsung Internet',
    yandex: 'Yandex Browser',
    yandexbrowser: 'Yandex Browser',
    'yandex browser': 'Yandex Browser',
    'uc browser': 'UC Browser',
    ucbrowser: 'UC Browser',
    miui: 'MIUI Browser',
    silk: 'Silk',
    'amazon silk': 'Silk',
    'silk browser': 'Silk',
    facebook: 'Facebook',
    instagram: 'Instagram',
    'duckduckgo privacy browser': 'DuckDuckGo',
    brave: 'Brave',
    vivaldi: 'Vivaldi',
    android: 'Android Browser',
    'android browser': 'Android Browser',
    gsa: 'Google App',
    'google search app': 'Google App',
  }),
);

export const browserOf = remember((text: string): string => {
  const name = valueOf(text, MAX_LENGTH);
  return BROWSERS.get(name.toLowerCase()) ?? name;
});

/** The major version, as the collector keeps it. */
const majorOf = remember((text: string): string => /^\d{1,5}/.exec(text.trim())?.[0] ?? '');

type Named = { name: string; version: string };
const VERSIONED = /^(\D{1,64}?)[ /](?:version )?(\d{1,5}(?:[._]\d{1,5})*|XP|Vista)\b/i;

/** A browser with its version in one cell, such as `Firefox 139`. */
export const versionedBrowserOf = remember((text: string): Named => {
  const [, name = text, version = ''] = VERSIONED.exec(text.trim()) ?? [];
  return { name: browserOf(name.trim()), version: majorOf(version) };
});

const SYSTEMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    windows: 'Windows',
    mac: 'macOS',
    macos: 'macOS',
    'mac os': 'macOS',
    'mac os x': 'macOS',
    'os x': 'macOS',
    macintosh: 'macOS',
    ios: 'iOS',
    ipados: 'iOS',
    android: 'Android',
    'android os': 'Android',
    linux: 'Linux',
    'gnu/linux': 'Linux',
    ubuntu: 'Linux',
    debian: 'Linux',
    fedora: 'Linux',
    'chrome os': 'Chrome OS',
    chromeos: 'Chrome OS',
    'chromium os': 'Chrome OS',
    'windows mobile': 'Windows Mobile',
    'windows phone': 'Windows Phone',
    blackberry: 'BlackBerry OS',
    'blackberry os': 'BlackBerry OS',
  }),
);

/** A system, with its version where the cell has one, such as `Windows 10`. */
export const systemOf = remember((text: string): Named => {
  const clean = valueOf(text, MAX_LENGTH);
  const whole = SYSTEMS.get(clean.toLowerCase());
  if (whole !== undefined) return { name: whole, version: '' };
  const [, name = clean, version = ''] = VERSIONED.exec(clean) ?? [];
  const known = SYSTEMS.get(name.trim().toLowerCase());
  return known === undefined ? { name: clean, version: '' } : { name: known, version: systemVersionOf(version) };
});

/** Major and minor version, as the collector keeps them; words for old Windows. */
const systemVersionOf = remember((text: string): string => {
  const [, major = '', minor = '0'] = /^(\d{1,5})(?:[._](\d{1,5}))?/.exec(text.trim()) ?? [];
  if (major === '') return /^(?:XP|Vista)$/i.test(text.trim()) ? text.trim() : '';
  return Number(minor) === 0 ? major : `${major}.${minor}`;
});

/** The version of a system that `systemOf` named. Footfall counts none of these two: theirs are a distribution's or a build's. */
export const countedVersion = (system: string, version: string): string =>
  system === 'Linux' || system === 'Chrome OS' ? '' : systemVersionOf(version);

const DEVICES: ReadonlyMap<string, Device> = new Map(
  Object.entries({
    desktop: 'desktop',
    laptop: 'desktop',
    'ultra-wide': 'desktop',
    mobile: 'mobile',
    smartphone: 'mobile',
    phablet: 'mobile',
    'feature phone': 'mobile',
    phone: 'mobile',
    tablet: 'tablet',
    tv: 'tv',
    'smart tv': 'tv',
    smarttv: 'tv',
    television: 'tv',
    'set top box': 'tv',
    console: 'console',
    wearable: 'wearable',
    watch: 'wearable',
    car: 'car',
    'car browser': 'car',
    // German, French and Spanish
    computer: 'desktop',
    ordinateur: 'desktop',
    bureau: 'desktop',
    ordenador: 'desktop',
    escritorio: 'desktop',
    mobil: 'mobile',
    handy: 'mobile',
    móvil: 'mobile',
    tablette: 'tablet',
    tableta: 'tablet',
  }),
);

export const deviceOf = remember((text: string): Device => DEVICES.get(text.trim().toLowerCase()) ?? 'other');

/** Primary language and region, such as `de` or `pt-BR`. */
export const languageOf = remember((text: string): string => {
  const [, language, region] =
    /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_]([a-z]{2}|\d{3}))?(?:$|[-_])/i.exec(text.trim()) ?? [];
  if (language === undefined) return '';
  return region ? `${language.toLowerCase()}-${region.toUpperCase()}` : language.toLowerCase();
});

/** The width of a screen given as 1920x1080 or 1920,1080,1. */
export const widthOf = remember((text: string): number => {
  const width = Number(/^(\d{1,5})(?:\.\d+)?\s*(?:[x×,]|$)/i.exec(text.trim())?.[1] ?? 0);
  return width < 100_000 ? width : 0;
});

/** What a visitor used, in the words of an export. Without `osVersion`, the system's name may end in it, such as `Windows 10`. */
export function machineOf(told: {
  browser: string;
  browserVersion?: string;
  os: string;
  osVersion?: string | undefined;
  device: string;
  language: string;
  screen?: string;
}): Pick<ImportedHit, 'browser' | 'browser_version' | 'os' | 'os_version' | 'device' | 'language' | 'screen_width'> {
  const os = systemOf(told.os);
  return {
    browser: browserOf(told.browser),
    browser_version: majorOf(told.browserVersion ?? ''),
    os: os.name,
    os_version: countedVersion(os.name, told.osVersion ?? os.version),
    device: deviceOf(told.device),
    language: languageOf(told.language),
    screen_width: widthOf(told.screen ?? ''),
  };
}

/** Labels of the versions of browsers and systems, such as `Firefox 139`. */
export const browserLabel = (browser: string, version: string): string =>
  `${browserOf(browser)} ${majorOf(version)}`.trim();
export const systemLabel = (system: string, version: string): string => {
  const { name } = systemOf(system);
  return `${name} ${countedVersion(name, version)}`.trim();
};

export const isYes = (text: string): boolean => /^(?:true|1|t|yes)$/i.test(text.trim());
