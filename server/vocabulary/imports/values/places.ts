// Countries and regions: codes as they are, and countries' names in four languages.
import { remember } from './memo.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es'];
/** Names that exports have, and browsers' own lists do not. */
const ALSO: Readonly<Record<string, string>> = {
  turkey: 'TR',
  'hong kong': 'HK',
  macao: 'MO',
  macau: 'MO',
  myanmar: 'MM',
  'ivory coast': 'CI',
  'czech republic': 'CZ',
  macedonia: 'MK',
  swaziland: 'SZ',
  palestine: 'PS',
  'democratic republic of the congo': 'CD',
  'republic of the congo': 'CG',
  'congo (drc)': 'CD',
  'congo (republic)': 'CG',
  'united states of america': 'US',
  usa: 'US',
  uk: 'GB',
  'great britain': 'GB',
  russia: 'RU',
  'south korea': 'KR',
};

const plain = (name: string) =>
  name.toLowerCase().replaceAll('’', "'").replaceAll('&', 'and').replaceAll(/\s+/g, ' ').trim();

let names: Map<string, string> | undefined;

function countryNames(): Map<string, string> {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const found = new Map(Object.entries(ALSO));
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of codes) {
      const name = display.of(code);
      if (name !== undefined && isCountry(code) && !found.has(plain(name))) found.set(plain(name), code);
    }
  }
  return found;
}

/** Codes that stand for no country, or for an unknown one. UK and others of a second name are theirs in ISO. */
const NO_COUNTRIES = new Set([
  'ZZ',
  'XX',
  'T1',
  'AN',
  'AP',
  'EU',
  'EZ',
  'UN',
  'QO',
  'XA',
  'XB',
  'UK',
  'SU',
  'DD',
  'YU',
  'FX',
]);
const isCountry = (code: string) => !NO_COUNTRIES.has(code);

/** ISO 3166-1 alpha-2 of a code or a name; '' if it is neither. */
export const countryOf = remember((text: string): string => {
  const trimmed = text.trim();
  if (/^[a-z]{2}$/i.test(trimmed)) {
    const code = trimmed.toUpperCase();
    if (isCountry(code)) return code;
  }
  if (trimmed.length < 2 || trimmed.length > 64) return '';
  names ??= countryNames();
  return names.get(plain(trimmed)) ?? '';
});

const REGION = /^[A-Z]{2}-[A-Z0-9]{1,3}$/;

/** ISO 3166-2 of `DE-BY`, or of `BY` in a known country; '' for names. */
export function regionOf(text: string, country: string): string {
  if (text === '') return '';
  const code = text.trim().toUpperCase();
  if (REGION.test(code)) return code;
  const whole = `${country}-${code}`;
  return country !== '' && /^[A-Z0-9]{1,3}$/.test(code) && REGION.test(whole) ? whole : '';
}
