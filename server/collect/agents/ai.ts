// Recognises visits by AI providers: crawlers, search indexers, and page fetches on behalf of an assistant's user. They are recorded apart
// from people. A token in the user agent identifies them; agents with a browser's user agent sign their requests instead (Web Bot Auth).
import type { AiPurpose } from '../../vocabulary/event.ts';
import { botReason, withoutModel } from './bots.ts';
import { bytesFor } from '../../process/bounded-memory.ts';
import { remember } from '../cache.ts';
import { agents, contacts, exactTokens, families, signers } from '../lists/ai-agents.ts';
import { domainsOf } from '../sources/domains.ts';
import { MAX_HEADER } from '../../vocabulary/limits.ts';

type AiAgent = { ai_provider: string; ai_agent: string; ai_purpose: AiPurpose };

type Known = AiAgent & { words: number };
const byToken = new Map<string, Known>(
  agents.map(({ token, provider, purpose }) => [
    token.toLowerCase(),
    { ai_provider: provider, ai_agent: token, ai_purpose: purpose, words: token.split(' ').length },
  ]),
);
const bySigner = new Map(signers.map((signer) => [signer.host, signer]));
const LONGEST_TOKEN = Math.max(...[...byToken.values()].map(({ words }) => words));

/** A product token as in RFC 9309, plus the digits, dots and underscores that some agents use. */
const WORD = /[A-Za-z][\w.-]*/g;

const byUserAgent = remember((userAgent): AiAgent | 'none' => {
  const words = withoutModel(userAgent).match(WORD) ?? [];
  let found: AiAgent | undefined;
  for (const [index, word] of words.entries()) {
    for (let length = LONGEST_TOKEN; length >= 1; length--) {
      const phrase = length === 1 ? word : words.slice(index, index + length).join(' ');
      const known = byToken.get(phrase.toLowerCase());
      if (known?.words !== length || (exactTokens.has(known.ai_agent) && known.ai_agent !== phrase)) continue;
      // The more specific of two tokens wins: Applebot's user agent may also hold Applebot-Extended.
      if (!found || known.ai_agent.startsWith(found.ai_agent)) found = agentOf(known);
    }
    found ??= byFamily(word);
  }
  return found ?? byContact(userAgent) ?? 'none';
}, bytesFor('agents'));

function agentOf({ ai_provider, ai_agent, ai_purpose }: AiAgent): AiAgent {
  return Object.freeze({ ai_provider, ai_agent, ai_purpose });
}

function byFamily(word: string): AiAgent | undefined {
  const family = families.find(({ pattern }) => pattern.test(word));
  if (!family) return undefined;
  const known = family.token === undefined ? undefined : byToken.get(family.token);
  return agentOf(known ?? { ai_provider: family.provider, ai_agent: word, ai_purpose: purposeOf(word) });
}

/** A contact address of the bot's operator: a page or a mailbox. */
const CONTACT = /(?:https?:\/\/|@|\+)([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})/gi;
/** The bot's name directly before its contact address: `NewBot/1.0; +`. */
const NAMED_BEFORE = /([A-Za-z][\w.-]{1,63})(?:[/ ]v?\d[\w.]{0,15})?[\s;,(<+]{0,8}(?:(?:mailto|contact):? ?)?$/;
const MAILBOX = /[\w.+-]{1,64}$/;
const BROWSER_WORDS = new Set([
  'compatible',
  'gecko',
  'safari',
  'chrome',
  'mobile',
  'mozilla',
  'firefox',
  'edg',
  'version',
]);

/** Recognises a bot with an unknown token by the domain of its contact address. */
function byContact(userAgent: string): AiAgent | undefined {
  for (const found of userAgent.matchAll(CONTACT)) {
    const provider = bySuffix((found[1] ?? '').toLowerCase(), contacts);
    if (provider === undefined) continue;
    const before = userAgent.slice(Math.max(0, found.index - 160), found.index);
    const token = NAMED_BEFORE.exec(found[0].startsWith('@') ? before.replace(MAILBOX, '') : before)?.[1];
    const isNamed = token !== undefined && !BROWSER_WORDS.has(token.toLowerCase());
    return agentOf({ ai_provider: provider, ai_agent: isNamed ? token : provider, ai_purpose: purposeOf(token ?? '') });
  }
  return undefined;
}

/** Looks up a host, or else the nearest domain above it, in a table. */
function bySuffix<Value>(host: string, table: ReadonlyMap<string, Value>): Value | undefined {
  const known = domainsOf(host).find((domain) => table.has(domain));
  return known === undefined ? undefined : table.get(known);
}

function purposeOf(token: string): AiPurpose {
  if (/user|agent|fetcher|research/i.test(token)) return 'user';
  return /search|index/i.test(token) ? 'search' : 'crawler';
}

/** A structured string `"https://chatgpt.com"`, or a dictionary of such strings (draft-meunier-http-message-signatures-directory). */
const SIGNATURE_AGENT = /https?:\/\/([a-z0-9.-]{1,253})/i;

function bySignature(signatureAgent: string, { isBrowser }: { isBrowser: boolean }): AiAgent | undefined {
  const host = SIGNATURE_AGENT.exec(signatureAgent.slice(0, MAX_HEADER))?.[1]?.toLowerCase();
  if (host === undefined) return undefined;
  const signer = bySuffix(host, bySigner);
  if (signer) return { ai_provider: signer.provider, ai_agent: signer.agent, ai_purpose: 'user' };
  // Scanners and monitors sign their requests too. An unknown signer counts as an AI agent only if its user agent looks like a person's
  // browser.
  return isBrowser ? { ai_provider: host, ai_agent: host, ai_purpose: 'user' } : undefined;
}

/** Returns undefined for people, and for bots of non-AI companies. The user agent takes precedence over the signature. */
export function recogniseAi(input: { userAgent: string; signatureAgent?: string | undefined }): AiAgent | undefined {
  const { userAgent, signatureAgent } = input;
  const told = byUserAgent(userAgent.length > MAX_HEADER ? userAgent.slice(0, MAX_HEADER) : userAgent);
  if (told !== 'none') return told;
  if (!signatureAgent) return undefined;
  // Other bots, such as a search engine's, may sign too: a user agent that names a known bot is not an AI agent.
  const reason = botReason({ userAgent, headers: {}, webdriver: false });
  return reason === 'bot_user_agent' ? undefined : bySignature(signatureAgent, { isBrowser: reason === undefined });
}
