// The formats that can be imported, in the order in which a file is compared with them.
import { accessLog } from './access-log.ts';
import { csv } from './csv.ts';
import { footfall } from './presets/footfall.ts';
import type { Format } from './format.ts';
import { ga4 } from './ga4.ts';
import { goatcounter } from './goatcounter.ts';
import { matomo } from './matomo/matomo.ts';
import { openpanel } from './presets/openpanel.ts';
import { posthog } from './presets/posthog.ts';
import { fathom, rybbit } from './presets/sums.ts';
import { vercel } from './presets/vercel.ts';
import { plausible } from './plausible.ts';
import { simpleAnalytics } from './simple-analytics.ts';
import { umami } from './umami.ts';

export const FORMATS = {
  footfall,
  plausible,
  umami,
  goatcounter,
  'simple-analytics': simpleAnalytics,
  matomo,
  ga4,
  fathom,
  rybbit,
  posthog,
  openpanel,
  vercel,
  'access-log': accessLog,
  /** Last: it takes what no other does. */
  csv,
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
