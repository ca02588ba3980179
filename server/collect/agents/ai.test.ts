import { expect, test } from 'vitest';
import { AI_PURPOSES } from '../../vocabulary/event.ts';
import { recogniseAi } from './ai.ts';
import { agents, contacts, families, signers } from '../lists/ai-agents.ts';

const LIKE_GECKO = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible;';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15';

test.each([
  [`${LIKE_GECKO} GPTBot/1.2; +https://openai.com/gptbot)`, 'OpenAI', 'GPTBot', 'crawler'],
  [`${LIKE_GECKO} OAI-SearchBot/1.0; +https://openai.com/searchbot)`, 'OpenAI', 'OAI-SearchBot', 'search'],
  [`${LIKE_GECKO} ChatGPT-User/1.0; +https://openai.com/bot)`, 'OpenAI', 'ChatGPT-User', 'user'],
  [`${LIKE_GECKO} ClaudeBot/1.0; +claudebot@anthropic.com)`, 'Anthropic', 'ClaudeBot', 'crawler'],
  [`${LIKE_GECKO} Claude-SearchBot/1.0; +Claude-SearchBot@anthropic.com)`, 'Anthropic', 'Claude-SearchBot', 'search'],
  [`${LIKE_GECKO} Claude-User/1.0; +Claude-User@anthropic.com)`, 'Anthropic', 'Claude-User', 'user'],
  [`${LIKE_GECKO} PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)`, 'Perplexity', 'PerplexityBot', 'search'],
  [
    `${LIKE_GECKO} Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)`,
    'Perplexity',
    'Perplexity-User',
    'user',
  ],
  ['Mozilla/5.0 (compatible; GoogleOther)', 'Google', 'GoogleOther', 'crawler'],
  ['Mozilla/5.0 (compatible; Google-CloudVertexBot/1.0)', 'Google', 'Google-CloudVertexBot', 'crawler'],
  [
    'Mozilla/5.0 (compatible; Gemini-Deep-Research; +https://gemini.google/overview/deep-research/)',
    'Google',
    'Gemini-Deep-Research',
    'user',
  ],
  [
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    'Meta',
    'meta-externalagent',
    'crawler',
  ],
  ['meta-externalfetcher/1.1', 'Meta', 'meta-externalfetcher', 'user'],
  ['meta-webindexer/1.1', 'Meta', 'meta-webindexer', 'search'],
  [`${SAFARI} (Applebot/0.1; +http://www.apple.com/go/applebot)`, 'Apple', 'Applebot', 'search'],
  ['Mozilla/5.0 (compatible; Applebot/0.1; Applebot-Extended/0.1)', 'Apple', 'Applebot-Extended', 'crawler'],
  [`${SAFARI} (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)`, 'Amazon', 'Amazonbot', 'crawler'],
  ['Amzn-User/0.1', 'Amazon', 'Amzn-User', 'user'],
  ['AzureAI-SearchBot/1.0', 'Microsoft', 'AzureAI-SearchBot', 'search'],
  [
    'Mozilla/5.0 (compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)',
    'Mistral',
    'MistralAI-User',
    'user',
  ],
  ['GrokBot/1.0 (+https://x.ai)', 'xAI', 'GrokBot', 'crawler'],
  ['Grok-DeepSearch/1.0', 'xAI', 'Grok-DeepSearch', 'user'],
  ['Mozilla/5.0 (compatible; DeepSeekBot/1.0)', 'DeepSeek', 'DeepSeekBot', 'crawler'],
  [
    'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
    'ByteDance',
    'Bytespider',
    'crawler',
  ],
  ['cohere-ai', 'Cohere', 'cohere-ai', 'user'],
  ['cohere-training-data-crawler/1.0', 'Cohere', 'cohere-training-data-crawler', 'crawler'],
  ['DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)', 'DuckDuckGo', 'DuckAssistBot', 'user'],
  ['CCBot/2.0 (https://commoncrawl.org/faq/)', 'Common Crawl', 'CCBot', 'crawler'],
  ['Mozilla/5.0 (compatible; YouBot/1.0; +http://about.you.com/youbot/)', 'You.com', 'YouBot', 'search'],
  ['Kangaroo Bot/1.0', 'Kangaroo LLM', 'Kangaroo Bot', 'crawler'],
  // with a customer's number, which is not part of the name
  ['amazon-kendra-customer-id-1234', 'Amazon', 'amazon-kendra', 'search'],
  ['bedrockbot-5f0c1f3e', 'Amazon', 'bedrockbot', 'crawler'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Agent-NovaAct/0.9.4021',
    'Amazon',
    'NovaAct',
    'user',
  ],
  ['meta-externaltest/1.1', 'Meta', 'meta-externaltest', 'user'],
  ['codex_cli_rs/0.38.0 (Mac OS 15.5.0; arm64) iTerm', 'OpenAI', 'codex_cli_rs', 'user'],
  // not on any list yet
  ['Claude-ImageBot/3.0', 'Anthropic', 'Claude-ImageBot', 'crawler'],
  ['OAI-ShopAgent/1.0', 'OpenAI', 'OAI-ShopAgent', 'user'],
  // new tokens, recognised by their contact address
  ['Mozilla/5.0 (compatible; Strawberry/1.0; +https://openai.com/strawberry)', 'OpenAI', 'Strawberry', 'crawler'],
  ['Mozilla/5.0 (compatible; ReadingUser/2.1; contact: reading@anthropic.com)', 'Anthropic', 'ReadingUser', 'user'],
  [`${LIKE_GECKO} Comet-Search/0.3; +https://docs.perplexity.ai/bots)`, 'Perplexity', 'Comet-Search', 'search'],
  ['NewFetcher/1.0 (+https://mistral.ai)', 'Mistral', 'NewFetcher', 'user'],
  [`${SAFARI} (+https://x.ai/agents)`, 'xAI', 'xAI', 'crawler'],
  ['PerplexityNews-SearchBot/1.0', 'Perplexity', 'PerplexityNews-SearchBot', 'search'],
])('%.80s comes from %s', (userAgent, ai_provider, ai_agent, ai_purpose) => {
  expect(recogniseAi({ userAgent })).toEqual({ ai_provider, ai_agent, ai_purpose });
});

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)',
  'facebookexternalhit/1.1',
  'NewBot/1.0 (+https://openai.com.evil.example/bot)',
  'NewBot/1.0 (+https://notopenai.com/bot)',
  'NewBot/1.0 (+http://www.google.com/newbot.html)',
  'Mozilla/5.0 (compatible; Bing/1.0; +https://max.ai)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ChatGPT/1.2025 Chrome/120 Electron/28 Safari/537.36',
  SAFARI,
  '',
])('%.80s is not an AI agent', (userAgent) => {
  expect(recogniseAi({ userAgent })).toBeUndefined();
});

test.each([
  ['"https://chatgpt.com"', 'OpenAI', 'ChatGPT Agent'],
  ['sig1="https://agent.bot.goog"', 'Google', 'Google-Agent'],
  ['https://www.perplexity.ai/', 'Perplexity', 'Perplexity-User'],
  ['"https://agents.example"', 'agents.example', 'agents.example'],
])("an ordinary browser's user agent signed by %s is an agent of %s", (signatureAgent, ai_provider, ai_agent) => {
  expect(recogniseAi({ userAgent: SAFARI, signatureAgent })).toEqual({ ai_provider, ai_agent, ai_purpose: 'user' });
});

test('the bot of a search engine is not an AI agent, even if it signs its requests', () => {
  const userAgent = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  expect(recogniseAi({ userAgent, signatureAgent: '"https://google.com"' })).toBeUndefined();
});

test('an unknown signer is an agent only if its user agent looks like a browser', () => {
  const signatureAgent = '"https://scanner.example"';
  expect(recogniseAi({ userAgent: 'CloudflareWebScanner/1.0', signatureAgent })).toBeUndefined();
  const headless = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0';
  expect(recogniseAi({ userAgent: headless, signatureAgent })).toBeUndefined();
  expect(recogniseAi({ userAgent: headless, signatureAgent: '"https://chatgpt.com"' })?.ai_provider).toBe('OpenAI');
});

test('a signature without an address is ignored, and a look-alike domain is a provider of its own', () => {
  expect(recogniseAi({ userAgent: SAFARI, signatureAgent: 'chatgpt' })).toBeUndefined();
  expect(recogniseAi({ userAgent: SAFARI, signatureAgent: '"https://chatgpt.com.evil.example"' })?.ai_provider).toBe(
    'chatgpt.com.evil.example',
  );
});

test('each provider has one name, and none is named after an agent of another', () => {
  const providers = [...agents, ...families, ...signers].map(({ provider }) => provider).concat(...contacts.values());
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]|ai$|inc$/g, '');
  const spellings = Map.groupBy(new Set(providers), plain);
  expect([...spellings.values()].filter((names) => names.length > 1)).toEqual([]);
  const ofOthers = agents.filter(({ token, provider }) => providers.includes(token) && token !== provider);
  expect(ofOthers).toEqual([]);
  const listed = new Set([...agents, ...families].map(({ provider }) => provider));
  expect([...contacts.values()].filter((name) => !listed.has(name))).toEqual([]);
});

test.each([
  ['Mozilla/5.0 (compatible; Groq-Bot/1.0)', 'Groq', 'Groq-Bot', 'crawler'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Together-Bot/1.0)',
    'Together',
    'Together-Bot',
    'crawler',
  ],
  ['NVIDIA-Search-Bot/2.0', 'NVIDIA', 'NVIDIA-Search-Bot', 'search'],
  [`${SAFARI} Google-GeminiApp/1.0`, 'Google', 'Google-GeminiApp', 'crawler'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; Google-Gemini-Live/1.0) Chrome/124.0 Safari/537.36',
    'Google',
    'Google-Gemini-Live',
    'crawler',
  ],
  ['Mozilla/5.0 (compatible; +https://fireworks.ai/bot)', 'Fireworks', 'Fireworks', 'crawler'],
  ['Mozilla/5.0 (compatible; newcrawl/1.0; crawl@replicate.com)', 'Replicate', 'newcrawl', 'crawler'],
  ['video2dataset/1.3', 'LAION', 'video2dataset', 'crawler'],
  ['datasets/2.14.6; python/3.10; pyarrow/14', 'Hugging Face', 'datasets', 'crawler'],
  ['commoncrawl-downloader/1.0', 'Common Crawl', 'commoncrawl-downloader', 'crawler'],
])('%s is known by its family or its contact address', (userAgent, ai_provider, ai_agent, ai_purpose) => {
  expect(recogniseAi({ userAgent })).toEqual({ ai_provider, ai_agent, ai_purpose });
});

test.each(['Modal/1.0', 'Scale/2', 'Lambda Test', 'Together', 'Snowflake', 'Stability', 'Reka', 'Replicate'])(
  'a phone that is called %s is no agent',
  (model) => {
    const userAgent = `Mozilla/5.0 (Linux; Android 14; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36 ${model}`;
    expect(recogniseAi({ userAgent })).toBeUndefined();
  },
);

test('every token of the list is recognised as itself, and each purpose occurs', () => {
  for (const { token, provider, purpose } of agents) {
    expect(recogniseAi({ userAgent: `Mozilla/5.0 (compatible; ${token}/1.0)` }), token).toMatchObject({
      ai_provider: provider,
      ai_purpose: purpose,
    });
  }
  expect(new Set(agents.map(({ purpose }) => purpose))).toEqual(new Set(AI_PURPOSES));
});
