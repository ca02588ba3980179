// What the formats of imports are called, without the code that reads them.
import { textsOf } from '../habits/messages.ts';
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
