// Decides which requests to report: those of AI agents and bots. They are recognised by their user agent, or by the header that
// agents that look like a browser sign with. It may report too many requests, but never a browser's. The Footfall server decides what each
// one is.
import { tokens } from './tokens.ts';

const known = new Set(tokens.filter((token) => !token.includes(' ')));
const phrases = tokens.filter((token) => token.includes(' '));
const WORD = /[a-z][\w.-]*/g;
/** Phones by the maker Cubot, up to the end of the device's name: `CUBOT_NOTE_S`, `CUBOT-X18`, `CUBOT/P80 Build/…`. */
const CUBOT = /\bcubot(?![a-z])[^;)]*/g;
/** Common words in the names of bots, and the contact address that most bots give. */
const MACHINE =
  /bot\b|bot[\d/_-]|crawl|spider|scrape|slurp|headless|fetcher|monitor|preview|archiver|python|curl\/|wget|httpclient|http-client|go-http|okhttp|axios|undici|node-fetch|libwww|java\/|ruby|scrapy|https?:\/\//;
/** Agents that providers may add later: the provider's name, then a word for the kind of agent. */
const FAMILY =
  /\b(?:gpt|chatgpt|oai|openai|claude|anthropic|perplexity|mistral|mistralai|xai|grok|deepseek|cohere|gemini|google|meta|amzn|nova)-?[\w-]*(?:user|search|agent|indexer|research)\b/;
const MAX_LENGTH = 512;

export function isAgent(userAgent: string, signatureAgent?: string): boolean {
  if (signatureAgent) return true;
  const text = userAgent.slice(0, MAX_LENGTH).toLowerCase().replace(CUBOT, '');
  if (MACHINE.test(text) || FAMILY.test(text)) return true;
  return (
    (text.match(WORD)?.some((word) => known.has(word)) ?? false) || phrases.some((phrase) => text.includes(phrase))
  );
}
