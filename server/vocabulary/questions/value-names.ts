// Values of dimensions as people read them, in the dashboard and in mails.
import { nameFormat } from '../habits/formatters.ts';
import type { Device } from '../event.ts';
import { t, texts } from '../habits/messages.ts';
import type { Channel } from './channels.ts';
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
const AI_PURPOSES: Record<string, string> = texts({
  crawler: 'Training crawler',
  search: 'Search index',
  user: 'On a user’s behalf',
});

const DEVICES: Record<string, string> = texts({
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  tv: 'TV',
  console: 'Console',
  wearable: 'Wearable',
  car: 'Car',
  other: 'Other',
} satisfies Record<Device, string>);

const CHANNELS: Record<string, string> = texts({
  Direct: 'Direct',
  'Cross-network': 'Cross-network',
  'Paid Shopping': 'Paid Shopping',
  'Paid Search': 'Paid Search',
  'Paid Social': 'Paid Social',
  'Paid Video': 'Paid Video',
  Display: 'Display',
  'Paid Other': 'Paid Other',
  'AI assistants': 'AI assistants',
  'Organic Shopping': 'Organic Shopping',
  'Organic Social': 'Organic Social',
  'Organic Video': 'Organic Video',
  'Organic Search': 'Organic Search',
  Referral: 'Referral',
  Email: 'Email',
  Affiliates: 'Affiliates',
  Audio: 'Audio',
  SMS: 'SMS',
  'Mobile Push Notifications': 'Mobile Push Notifications',
} satisfies Record<Channel, string>);

/** The server's width classes in words. */
const SCREENS: Record<string, string> = texts({
  XS: 'Under 576 px',
  SM: '576 – 767 px',
  MD: '768 – 991 px',
  LG: '992 – 1199 px',
  XL: '1200 – 1399 px',
  '2XL': '1400 px and more',
});

/** Visitors can send anything, such as `constructor`. */
const nameIn = (names: Record<string, string>, value: string): string | undefined =>
  Object.hasOwn(names, value) ? names[value] : undefined;

/** Dimensions whose values are codes that are shown by name. */
export const CODE_NAMES: Partial<Record<Dimension, (value: string) => string>> = {
  country: countryName,
  language: namesOf('language'),
  device: (value) => nameIn(DEVICES, value) ?? capital(value),
  screen: (value) => nameIn(SCREENS, value) ?? value,
  ai_purpose: (value) => nameIn(AI_PURPOSES, value) ?? value,
};

/** A value in words: "Direct" for an empty source, "Germany" for DE. */
export function valueName(dimension: Dimension, value: string): string {
  if (value === '') return dimensionRow(dimension).empty ?? t('Unknown');
  if (dimension === 'channel') return nameIn(CHANNELS, value) ?? value;
  return CODE_NAMES[dimension]?.(value) ?? value;
}
