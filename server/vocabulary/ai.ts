// The providers of AI assistants, and the HTTP errors that count as failures for AI agents.

/** HTTP statuses that leave an agent with nothing to read: the page is gone, or the server failed. Those above 511 are Cloudflare's. */
export const AI_ERRORS: readonly string[] = [
  404, 410, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 521, 522, 523, 524, 525, 526, 527, 530,
].map(String);

/** Providers of the assistants whose own name differs from their provider's. */
const PROVIDERS: Readonly<Record<string, string>> = {
  ChatGPT: 'OpenAI',
  Claude: 'Anthropic',
  Gemini: 'Google',
  NotebookLM: 'Google',
  Copilot: 'Microsoft',
  'GitHub Copilot': 'Microsoft',
  Grok: 'xAI',
  'Meta AI': 'Meta',
  'Brave Leo': 'Brave',
  'Duck.ai': 'DuckDuckGo',
  'Kagi Assistant': 'Kagi',
  'Amazon Q': 'Amazon',
  Rufus: 'Amazon',
  Alexa: 'Amazon',
  Qwen: 'Alibaba',
  Kimi: 'Moonshot',
  Doubao: 'ByteDance',
  Cici: 'ByteDance',
  Ernie: 'Baidu',
  ChatGLM: 'Zhipu',
  'Yandex Alice': 'Yandex',
  Manus: 'Manus AI',
};

/** Returns the provider of an assistant, spelled as in the list of AI agents. */
export const providerOf = (assistant: string): string =>
  Object.hasOwn(PROVIDERS, assistant) ? (PROVIDERS[assistant] as string) : assistant;

/** The assistants whose own name differs from their provider's. */
export const RENAMED_ASSISTANTS: readonly string[] = Object.keys(PROVIDERS);
