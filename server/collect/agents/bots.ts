// Recognises bots by their user agent (isbot, with corrections in both directions in `../lists/bots.ts`) and by other signs in the request. AI
// agents are bots too, but `ai.ts` runs first and records them separately.
import { isbot } from 'isbot';
import { bytesFor } from '../../process/bounded-memory.ts';
import { MAX_HEADER } from '../../vocabulary/limits.ts';
import type { DropReason } from '../../vocabulary/drops.ts';
import { remember } from '../cache.ts';
import {
  ANDROID_MODEL,
  NAMES_A_CLIENT,
  misread,
  botRules,
  botWords,
  NAMES_ITSELF,
  personRules,
  SELF_DECLARED,
  SELF_DECLARED_IN_APP,
} from '../lists/bots.ts';

export const BOT_REASONS = [
  'bot_user_agent',
  'no_user_agent',
  'webdriver',
  'headless',
  'prefetch',
] as const satisfies readonly DropReason[];
type BotReason = (typeof BOT_REASONS)[number];

type BotEvidence = {
  userAgent: string;
  /** Header names in lower case, as in node:http. */
  headers: Record<string, string | undefined>;
  /** `navigator.webdriver` */
  webdriver: boolean;
};

const HEADLESS = /headless|phantomjs|slimerjs|htmlunit|puppeteer|playwright|selenium|splash\/|cypress\/|lightpanda/i;
const PREFETCH = /prefetch|prerender|preview/i;
/** In order: the standard header, the older one of Chrome and Safari, Firefox's, and that of Safari's Top Sites. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'] as const;
const WORD = /[A-Za-z0-9][\w.-]*/g;

type Verdict = 'bot_user_agent' | 'headless' | 'person';

const judge = remember((userAgent): Verdict => {
  if (HEADLESS.test(userAgent)) return 'headless';
  const told = withoutModel(userAgent);
  if (told.match(WORD)?.some((word) => botWords.has(word.toLowerCase()))) return 'bot_user_agent';
  const person = personRules.find(({ pattern }) => pattern.test(userAgent));
  const isBot = botRules.some(({ pattern, isAlsoAnApp }) => !(isAlsoAnApp && person?.isApp) && pattern.test(told));
  if (isBot) return 'bot_user_agent';
  if (person && !(person.isApp ? SELF_DECLARED_IN_APP : SELF_DECLARED).test(told)) return 'person';
  if (!NAMES_A_CLIENT.test(userAgent)) return 'bot_user_agent';
  let rest = told;
  for (const { pattern } of misread) rest = rest.replace(pattern, '');
  return isbot(rest) ? 'bot_user_agent' : 'person';
}, bytesFor('bots'));

/** Removes the device's name: it says nothing about the client, and some devices are called Bot. */
export function withoutModel(userAgent: string): string {
  return userAgent.replace(ANDROID_MODEL, (whole, system: string) =>
    NAMES_ITSELF.test(whole) ? whole : `(${system})`,
  );
}

/** Returns undefined if the request seems to come from a person. */
export function botReason({ userAgent, headers, webdriver }: BotEvidence): BotReason | undefined {
  if (userAgent.trim() === '') return 'no_user_agent';
  for (const name of PREFETCH_HEADERS) {
    const value = headers[name];
    if (value !== undefined && PREFETCH.test(value.slice(0, 64))) return 'prefetch';
  }
  const verdict = judge(userAgent.length > MAX_HEADER ? userAgent.slice(0, MAX_HEADER) : userAgent);
  if (verdict !== 'person') return verdict;
  if (headers['sec-ch-ua']?.slice(0, 256).includes('HeadlessChrome')) return 'headless';
  return webdriver ? 'webdriver' : undefined;
}
