// What the AI chapter needs to know about providers and answers.

/** Answers that tell an agent that there is nothing to read: the page is gone, or the server failed. Those past 511 are Cloudflare's. */
export const AI_ERRORS: readonly string[] = [
  ...[404, 410, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530],
].map(String);

/** Sources of the channel "AI assistants" whose provider has another name. */
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

/** The provider of an assistant, under the name that its agents have. */
export const providerOf = (assistant: string): string =>
  Object.hasOwn(PROVIDERS, assistant) ? (PROVIDERS[assistant] as string) : assistant;

/** The assistants that have a provider of another name. */
export const RENAMED_ASSISTANTS: readonly string[] = Object.keys(PROVIDERS);
