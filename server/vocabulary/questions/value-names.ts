// Values of dimensions as people read them, in the dashboard and in mails.
import { nameFormat } from '../habits/formatters.ts';
import { type Dimension, dimensionRow } from './dimensions.ts';

function namesOf(type: 'region' | 'language'): (code: string) => string {
  const names = nameFormat(type, { languageDisplay: 'standard' });
  return (code) => {
    try {
      return names(code) ?? code;
    } catch {
      return code; // visitors can send anything, not only codes
    }
  };
}

const country = namesOf('region');

export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? country(code) : code;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const AI_PURPOSES: Record<string, string> = {
  crawler: 'Training crawler',
  search: 'Search index',
  user: 'On a user’s behalf',
};

/** The server's width classes in words. */
const SCREENS: Record<string, string> = {
  XS: 'Under 576 px',
  SM: '576 – 767 px',
  MD: '768 – 991 px',
  LG: '992 – 1199 px',
  XL: '1200 – 1399 px',
  '2XL': '1400 px and more',
};

/** Dimensions whose values are codes that are shown by name. */
export const CODE_NAMES: Partial<Record<Dimension, (value: string) => string>> = {
  country: countryName,
  language: namesOf('language'),
  device: (value) => (value === 'tv' ? 'TV' : capital(value)),
  screen: (value) => SCREENS[value] ?? value,
  ai_purpose: (value) => AI_PURPOSES[value] ?? value,
};

/** A value in words: "Direct" for an empty source, "Germany" for DE. */
export function valueName(dimension: Dimension, value: string): string {
  if (value === '') return dimensionRow(dimension).empty ?? 'Unknown';
  return CODE_NAMES[dimension]?.(value) ?? value;
}
