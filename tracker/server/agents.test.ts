import crawlers from 'crawler-user-agents' with { type: 'json' };
import UserAgent from 'user-agents';
import { expect, test } from 'vitest';
import { agents } from '../../server/collect/lists/ai-agents.ts';
import { listedTokens } from '../../server/collect/lists/ai-agent-tokens.ts';
import { isAgent } from './agents.ts';
import { tokens } from './tokens.ts';

test.each([
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  'Claude-User (claude-code/2.1)',
  'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  'Mozilla/5.0 (compatible; anthropic-ai/1.0)',
  'Mozilla/5.0 (Macintosh) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1)',
  'curl/8.5.0',
])('%s is an agent', (userAgent) => expect(isAgent(userAgent)).toBe(true));

test('a signed request comes from an agent, even with a browser’s user agent', () => {
  const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0';
  expect([isAgent(chrome), isAgent(chrome, '"https://chatgpt.com"'), isAgent(''), isAgent(chrome, '')]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test('none of 2,000 current browsers is reported', () => {
  const told = Array.from({ length: 2_000 }, () => new UserAgent().toString()).filter((one) => isAgent(one));
  expect(told).toEqual([]);
});

test('no phone by Cubot is reported, whatever comes after its name', () => {
  const browsers = Array.from({ length: 3_000 }, () => new UserAgent().toString());
  const bots = crawlers.flatMap((crawler) => crawler.instances);
  const models = new Set(
    [...browsers, ...bots].flatMap((one) => /Android [\d.]+; ([^;)]+?)(?: Build|[;)])/.exec(one)?.[1] ?? []),
  );
  expect(models.size).toBeGreaterThan(10);
  const names = [...models, 'NOTE_S', 'KINGKONG MINI 2', 'P80 Build/TP1A.220624.014', '2'].flatMap((model) =>
    ['', ' ', '_', '-', '/', '.', ',', ':', '+'].map((separator) => `CUBOT${separator}${model}`),
  );
  const phone = (name: string) =>
    `Mozilla/5.0 (Linux; Android 13; ${name}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36`;
  const told = names.filter((name) => !/^CUBOT[a-z]/i.test(name) && isAgent(phone(name)));
  expect(told).toEqual([]);
  expect(isAgent('Mozilla/5.0 (Linux; Android 13; CUBOT_X30) Chrome/142.0.0.0 (compatible; GPTBot/1.2)')).toBe(true);
});

test('four in five crawlers on the public list are reported: those that say what they are', () => {
  const instances = crawlers.flatMap((crawler) => crawler.instances);
  const told = instances.filter((one) => isAgent(one));
  expect(instances.length).toBeGreaterThan(2_000);
  expect(told.length / instances.length).toBeGreaterThan(0.8); // 1,718 of 2,118
});

test('every token and family on the server’s list of AI agents is reported', () => {
  const families = 'gpt-x oai claude perplexity mistralai xai grok deepseek cohere meta- amzn- nova- gemini'.split(' ');
  const kinds = ['bot', 'user', 'search', 'crawler', 'agent', 'fetcher', 'spider'];
  const tokens = [
    ...agents.map(({ token }) => token),
    ...families.flatMap((family) => kinds.map((kind) => `${family}${kind}`)),
  ];
  const missed = tokens.filter((token) => !isAgent(`Mozilla/5.0 (compatible; ${token}/1.0)`));
  expect(missed).toEqual([]);
});

test('the tokens are those of the server’s list: otherwise run `node server/collect/lists/regenerate.ts tokens`', () => {
  expect(tokens).toEqual(listedTokens());
});
