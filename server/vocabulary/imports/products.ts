// The names of the formats of imports, and how their products count visitors. The code that reads them is in formats/.
import { message, say, textsOf } from '../habits/messages.ts';
import type { FormatName } from './formats/formats.ts';

/** All but one are names. */
export const PRODUCTS: Record<FormatName, string> = textsOf(['access-log'], {
  footfall: 'Footfall',
  plausible: 'Plausible',
  umami: 'Umami',
  goatcounter: 'GoatCounter',
  'simple-analytics': 'Simple Analytics',
  matomo: 'Matomo',
  ga4: 'Google Analytics 4',
  fathom: 'Fathom',
  rybbit: 'Rybbit',
  posthog: 'PostHog',
  openpanel: 'OpenPanel',
  vercel: 'Vercel',
  'access-log': 'Access log',
  csv: 'CSV',
});

const BY_DAY = message(
  '{product} tells visitors apart by address and browser, hashed with a key that changes every day.',
);
/** `sealed`: the days that another Footfall had imported. */
const COUNTING: Record<FormatName | 'sealed', string> = {
  footfall: BY_DAY,
  plausible: BY_DAY,
  umami: message('{product} tells visitors apart by address and browser, hashed with a key that changes every month.'),
  goatcounter: message(
    '{product} tells visitors apart by address and browser for 8 hours, and counts them on each page.',
  ),
  'simple-analytics': message(
    '{product} recognises nobody: each page view that does not come from the site itself is a visitor.',
  ),
  matomo: message('{product} recognises visitors by a cookie or, without cookies, by address and browser for a day.'),
  ga4: message(
    '{product} counts active users: by a cookie or an account, estimated, and modelled for people without consent.',
  ),
  fathom: BY_DAY,
  rybbit: message('{product} tells visitors apart by address and browser, for longer than a day unless salting is on.'),
  posthog: message('{product} recognises visitors by an id that the browser stores, and by their log-in.'),
  openpanel: BY_DAY,
  vercel: BY_DAY,
  'access-log': message('In an access log, a visitor is an address and a browser within a day.'),
  csv: message('The visitors of a CSV file are as the product that wrote it counted them.'),
  sealed: message(
    'Another Footfall had imported some of these days: their visitors are as the product before it counted them.',
  ),
};

/** How the product of an import counts visitors, in a sentence. Undefined for a format that only another version has. */
export function visitorsCountedBy(format: string): string | undefined {
  if (!Object.hasOwn(COUNTING, format)) return undefined;
  const product = format === 'sealed' ? '' : PRODUCTS[format as FormatName];
  return say(COUNTING[format as keyof typeof COUNTING], { product });
}
