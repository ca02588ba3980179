// Reads browser, operating system and device class from the user agent and the client hints. Neither is kept. ua-parser-js 1 (MIT; version
// 2 is AGPL) parses the text. `../lists/device-names.ts` corrects its results and maps them to the usual names.
import { UAParser } from 'ua-parser-js';
import type { Client, Device } from '../../vocabulary/event.ts';
import { bytesFor } from '../../process/bounded-memory.ts';
import { remember } from '../cache.ts';
import {
  besideChrome,
  besideOthers,
  boxModel,
  brandNames,
  browserNames,
  browserRules,
  deviceRules,
  phoneModel,
  systemNames,
  systemRules,
  tabletModel,
} from '../lists/device-names.ts';
import { MAX_HEADER } from '../../vocabulary/limits.ts';

/** The `Sec-CH-UA-*` headers as the browser sent them, and values that the tracker read from the window. */
type ClientHints = {
  /** `Sec-CH-UA-Full-Version-List`, or else `Sec-CH-UA`. */
  brands?: string | undefined;
  platform?: string | undefined;
  platformVersion?: string | undefined;
  /** `?1` or `?0`. */
  mobile?: string | undefined;
  model?: string | undefined;
  /** `navigator.maxTouchPoints`. */
  touchPoints?: number | undefined;
  /** Width of the window in CSS pixels. */
  width?: number | undefined;
};

const MAX_HINT = 256;

const DESKTOP_SYSTEMS = new Set([
  'Windows',
  'macOS',
  'Linux',
  'Chrome OS',
  'FreeBSD',
  'OpenBSD',
  'NetBSD',
  'DragonFly',
  'Solaris',
  'Unix',
  'AIX',
  'HP-UX',
  'IRIX',
  'OS/2',
  'Haiku',
  'BeOS',
  'AmigaOS',
  'MorphOS',
  'RISC OS',
  'OpenVMS',
  'Plan9',
  'QNX',
  'Fuchsia',
  'GhostBSD',
  'BSD',
]);
const PHONE_SYSTEMS = new Set([
  'Java ME',
  'BlackBerry OS',
  'Symbian',
  'Windows Phone',
  'Windows Mobile',
  'Windows CE',
  'KaiOS',
  'BREW',
  'Bada',
  'MeeGo',
  'Maemo',
  'Firefox OS',
  'Palm OS',
  'Sailfish OS',
  'Series40',
  'iOS',
  'HarmonyOS',
  'webOS',
]);
/** Device classes by ua-parser-js's types. Its `embedded` and `xr` are left out: analytics reports do not show them. */
const DEVICE_OF: ReadonlyMap<string, Device> = new Map(
  Object.entries({
    mobile: 'mobile',
    tablet: 'tablet',
    smarttv: 'tv',
    console: 'console',
    wearable: 'wearable',
  }),
);
/** Allowed values of `Sec-CH-UA-Platform`; any other value is ignored. */
const PLATFORMS = new Set(['Windows', 'macOS', 'Android', 'Chrome OS', 'Linux', 'iOS', 'Fuchsia']);
const MOBILE = /\bmobi(?:le)?\b|Opera Mini/i;
const GENERIC_BRANDS = new Set(['Google Chrome', 'Chromium']);
/** Browser names that may stand for another Chromium browser, which client hints reveal. */
const UNSPECIFIC = new Set(['Chrome', 'Chromium', 'Android Browser', '']);

const read = remember((key) => {
  const [userAgent = '', brands = '', platform = '', platformVersion = '', mobile = '', model = '', touches = ''] =
    key.split('\n');
  return Object.freeze(
    withHints(fromUserAgent(userAgent), { userAgent, brands, platform, platformVersion, mobile, model, touches }),
  );
}, bytesFor('clients'));

/** Unknown values are '', or `other` for the device. The returned object is shared: do not change it. */
export function parseClient(userAgent: string, hints: ClientHints): Client {
  const touches = touchesOf(hints.touchPoints);
  return read(
    [
      line(userAgent, MAX_HEADER),
      line(hints.brands, MAX_HINT),
      line(hints.platform, MAX_HINT),
      line(hints.platformVersion, MAX_HINT),
      line(hints.mobile, MAX_HINT),
      line(hints.model, MAX_HINT),
      touches,
    ].join('\n'),
  );
}

function line(text: string | undefined, length: number): string {
  if (!text) return '';
  const bounded = text.length > length ? text.slice(0, length) : text;
  return bounded.includes('\n') ? bounded.replaceAll('\n', ' ') : bounded;
}

function fromUserAgent(userAgent: string): Client {
  const parsed = new UAParser(userAgent);
  const browser = readBrowser(userAgent, parsed);
  const os = readSystem(userAgent, parsed);
  return { ...browser, ...os, device: readDevice(userAgent, parsed, os.os) };
}

function readBrowser(userAgent: string, parsed: UAParser): Pick<Client, 'browser' | 'browser_version'> {
  for (const rule of browserRules) {
    const found = rule.pattern.exec(userAgent);
    if (found)
      return { browser: rule.name, browser_version: ofExplorer(rule.name, userAgent) ?? major(firstGroup(found)) };
  }
  const { name = '', version } = parsed.getBrowser();
  const browser = browserNames.get(name) ?? name;
  // An iOS web view has no version of its own: this number is WebKit's.
  const beside = NAMES_BESIDE.get(browser);
  const own = beside && nameBeside(userAgent, beside);
  if (own) return own;
  if (name === 'WebKit' || (browser === 'Safari' && Number(major(version)) > 400))
    return { browser, browser_version: '' };
  return { browser, browser_version: ofExplorer(browser, userAgent) ?? major(version) };
}

const PRODUCT = /(?<![\w(;.-])([A-Za-z][\w-]{1,30})\/(\d{1,5})/g;

const NAMES_BESIDE: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    Chrome: besideChrome,
    Safari: besideOthers,
    Firefox: besideOthers,
  }),
);

/**
 * Browsers that are built on another add their name to the other's, before it or after, with a version. Only names of a list are kept: any
 * word of a user agent could name a person or a company.
 */
function nameBeside(
  userAgent: string,
  names: ReadonlyMap<string, string>,
): Pick<Client, 'browser' | 'browser_version'> | undefined {
  const start = userAgent.search(/like Gecko\)|Gecko\/\d/);
  if (start === -1) return undefined;
  for (const [, word = '', version = ''] of userAgent.slice(start).matchAll(PRODUCT)) {
    const browser = names.get(word.toLowerCase());
    if (browser !== undefined) return { browser, browser_version: version };
  }
  return undefined;
}

/**
 * In compatibility view, Internet Explorer claims to be version 7, but its engine reveals the real version (Trident 7 came with version
 * 11).
 */
function ofExplorer(browser: string, userAgent: string): string | undefined {
  const trident = browser === 'Internet Explorer' ? /Trident\/(\d)/.exec(userAgent)?.[1] : undefined;
  return trident === undefined ? undefined : String(Number(trident) + 4);
}

function firstGroup([, ...groups]: RegExpExecArray): string | undefined {
  return groups.find((group) => group !== undefined);
}

function readSystem(userAgent: string, parsed: UAParser): Pick<Client, 'os' | 'os_version'> {
  for (const rule of systemRules) {
    const found = rule.pattern.exec(userAgent);
    if (found) return { os: rule.name, os_version: rule.version ?? majorMinor(firstGroup(found)) };
  }
  const { name = '', version } = parsed.getOS();
  const os = systemName(name) || (/\bLinux\b/.test(userAgent) ? 'Linux' : '');
  return { os, os_version: isNumbered(os) ? majorMinor(version, { words: os === 'Windows' }) : '' };
}

/** False for Linux and Chrome OS: their version number is a distribution's or a build's, and says nothing. */
function isNumbered(os: string): boolean {
  return os !== 'Linux' && os !== 'Chrome OS';
}

function systemName(name: string): string {
  return systemNames.get(name.toLowerCase()) ?? name;
}

function readDevice(userAgent: string, parsed: UAParser, os: string): Device {
  for (const rule of deviceRules) if (rule.pattern.test(userAgent)) return rule.device;
  const told = DEVICE_OF.get(parsed.getDevice().type ?? '');
  const isHandheld = told === undefined || told === 'mobile' || told === 'tablet';
  // Chrome and its web view follow one rule: phones say Mobile, tablets and televisions do not. That covers more models than any list.
  if (isHandheld && os === 'Android' && /\bChrome\/\d/.test(userAgent)) return ofAndroid(userAgent);
  if (told) return told;
  if (DESKTOP_SYSTEMS.has(os)) return 'desktop';
  if (os === 'Android') return ofAndroid(userAgent);
  return MOBILE.test(userAgent) || PHONE_SYSTEMS.has(os) ? 'mobile' : 'other';
}

function ofAndroid(userAgent: string): Device {
  const model = modelOf(userAgent);
  if (tabletModel.test(model)) return 'tablet';
  if (MOBILE.test(userAgent)) return 'mobile';
  if (boxModel.test(model)) return 'tv';
  return phoneModel.test(model) ? 'mobile' : 'tablet';
}

function modelOf(userAgent: string): string {
  return /Android[^;)]*;(?: [a-z]{2}[-_][a-zA-Z]{2};)?([^)]*)/.exec(userAgent)?.[1]?.replace(/\bBuild\/.*/, '') ?? '';
}

type Hints = Record<'userAgent' | 'brands' | 'platform' | 'platformVersion' | 'mobile' | 'model' | 'touches', string>;

/**
 * Adds the client hints. Reduced user agents freeze the system's version, the model and the browser's minor version; the hints have the
 * real ones.
 */
function withHints(client: Client, hints: Hints): Client {
  const told = { ...client, ...brandOf(hints, client), ...systemOf(hints, client) };
  // Since version 13, iPadOS sends a Mac's user agent. No Mac has a touch screen.
  if (client.os === 'macOS' && hints.touches === 'many') {
    const version = /Version\/(\d+(?:\.\d+)?)/.exec(hints.userAgent)?.[1];
    return { ...told, os: 'iOS', os_version: majorMinor(version), device: 'tablet' };
  }
  return { ...told, device: deviceOf(hints, told) };
}

const BRAND = /"([^"]{1,64})"\s*;\s*v\s*=\s*"(\d{1,5})[^"]{0,32}"/g;

function brandOf({ brands }: Hints, client: Client): Partial<Client> {
  if (brands === '' || !UNSPECIFIC.has(client.browser)) return {};
  let best: { name: string; version: string } | undefined;
  for (const [, brand = '', version = ''] of brands.matchAll(BRAND)) {
    const name = brandNames.get(brand);
    if (name === undefined) continue; // GREASE, such as "Not/A)Brand", and unknown brands
    if (!best || !GENERIC_BRANDS.has(brand)) best = { name, version };
    if (brand === 'Google Chrome' && best.name === 'Chromium') best = { name, version };
  }
  return best ? { browser: best.name, browser_version: best.version } : {};
}

function systemOf(hints: Hints, client: Client): Partial<Client> {
  const platform = unquote(hints.platform);
  const os = systemName(platform);
  if (!PLATFORMS.has(os)) return {};
  if (os !== client.os && client.os !== '') return {}; // the user agent is more specific, or the hints are fake
  const version = unquote(hints.platformVersion);
  if (!/^\d/.test(version)) return client.os === '' ? { os } : {};
  if (!isNumbered(os)) return { os, os_version: '' };
  return { os, os_version: os === 'Windows' ? windowsVersion(version) : majorMinor(version) };
}

/** The hint numbers an API contract, not Windows: https://learn.microsoft.com/microsoft-edge/web-platform/how-to-detect-win11. */
function windowsVersion(platformVersion: string): string {
  const contract = Number.parseFloat(platformVersion);
  if (contract >= 13) return '11';
  if (contract >= 1) return '10';
  return { '0.3': '8.1', '0.2': '8' }[platformVersion.slice(0, 3)] ?? '7';
}

function touchesOf(touchPoints: number | undefined): string {
  if (touchPoints === undefined) return '';
  return touchPoints > 1 ? 'many' : 'few';
}

function deviceOf(hints: Hints, client: Client): Device {
  const model = unquote(hints.model);
  if (model !== '') {
    const asUserAgent = `(Linux; Android 10; ${model} Build/)`;
    for (const rule of deviceRules) if (rule.pattern.test(asUserAgent)) return rule.device;
    if (client.os === 'Android' && hints.mobile !== '?1' && boxModel.test(model)) return 'tv';
  }
  if (client.os === 'Android' && client.device === 'tablet' && hints.mobile === '?1') return 'mobile';
  if (client.device !== 'other') return client.device;
  if (hints.mobile === '?1') return 'mobile';
  return DESKTOP_SYSTEMS.has(client.os) ? 'desktop' : 'other';
}

function unquote(hint: string): string {
  return hint.startsWith('"') && hint.endsWith('"') && hint.length > 1 ? hint.slice(1, -1) : hint;
}

function major(version: string | undefined): string {
  return /^\d{1,5}/.exec(version ?? '')?.[0] ?? '';
}

function majorMinor(version: string | undefined, { words = false } = {}): string {
  const found = /^(\d{1,5})(?:[._](\d{1,5}))?/.exec(version ?? '');
  if (!found) return words && version && /^[A-Z][\w ]{0,15}$/.test(version) ? version : ''; // XP, Vista
  const [, whole = '', part = '0'] = found;
  return Number(part) === 0 ? whole : `${whole}.${part}`;
}
