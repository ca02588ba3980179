// The settings of a site that say what is left out of its numbers: own visits, countries, pages and hosts.
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { normaliseHost } from './domains/domain.ts';
import { pagePattern } from './definitions/goals.ts';

const MAX_LISTED = 100;
/** People move between home, office and phone, and providers change addresses. The oldest networks go first. */
const MAX_NETWORKS = 20;
const MAX_HOST = 300;
const SETTING = 'left_out';

const country = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, { error: () => t('must be the code of a country in two letters (ISO 3166-1), such as DE') });

const host = z
  .string()
  .max(MAX_HOST)
  .transform((text, context) => {
    try {
      return normaliseHost(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

const listOf = (entry: z.ZodType<string, string>) =>
  z
    .array(entry)
    .max(MAX_LISTED, { error: () => t('must have at most {most} entries', { most: MAX_LISTED }) })
    .transform((entries) => [...new Set(entries)]);

/** `pages` are paths or patterns, as in goals. */
export const leftOutRules = z.strictObject({
  countries: listOf(country),
  pages: listOf(pagePattern),
  hostnames: listOf(host),
});
type Rules = z.output<typeof leftOutRules>;

/** `networks`: hashes of the networks that own visits come from, oldest first. `key`: the site's own, for these hashes. */
export type LeftOut = Rules & { networks: string[]; key: string };

type Settings = Readonly<Record<string, unknown>>;

const NOTHING: LeftOut = { countries: [], pages: [], hostnames: [], networks: [], key: '' };

/** Undefined if the owner has never left anything out. */
export function leftOutIn(settings: Settings): LeftOut | undefined {
  const stored = settings[SETTING] as Partial<LeftOut> | undefined;
  return stored && { ...NOTHING, ...stored };
}

/** What is left out, besides own visits. */
export function rulesIn(settings: Settings): Rules {
  const { countries, pages, hostnames } = leftOutIn(settings) ?? NOTHING;
  return { countries, pages, hostnames };
}

function withLeftOut(settings: Settings, changes: Partial<LeftOut>): Record<string, unknown> {
  return { ...settings, [SETTING]: { ...NOTHING, ...leftOutIn(settings), ...changes } };
}

export const withRules = (settings: Settings, rules: Rules) => withLeftOut(settings, rules);

/** Adds a network, whose hash was made with `key`. */
export function withNetwork(settings: Settings, { network, key }: { network: string; key: string }) {
  const others = networksIn(settings).filter((other) => other !== network);
  return withLeftOut(settings, { key, networks: [...others, network].slice(-MAX_NETWORKS) });
}

/** Removes one network, or all of them together with their key. */
export function withoutNetwork(settings: Settings, network?: string) {
  const networks = network === undefined ? [] : networksIn(settings).filter((other) => other !== network);
  return withLeftOut(settings, { networks, ...(networks.length === 0 && { key: '' }) });
}

const networksIn = (settings: Settings): string[] => leftOutIn(settings)?.networks ?? [];
