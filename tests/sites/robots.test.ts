// What robots.txt says to AI agents: groups, names and rules of RFC 9309, and how the file is loaded.
import { describe, expect, test } from 'vitest';
import { checkRobots } from '../../server/sites/checks/robots.ts';
import type { Outcome, Outgoing } from '../../server/process/outgoing/client.ts';

const verdict = async (text: string, agent = 'GPTBot') => {
  const { verdicts } = await checkRobots(answering(200, text), { site, agents: [agent] });
  return verdicts.map(({ is_named, may_read }) => `${is_named ? 'named' : 'not named'}, ${may_read}`).join();
};

test.each<[text: string, found: string, agent?: string]>([
  ['', 'not named, all'],
  ['User-agent: *\nDisallow:', 'not named, all'],
  ['User-agent: *\nDisallow: /', 'not named, nothing'],
  ['User-agent: *\nDisallow: /*', 'not named, nothing'],
  ['User-agent: *\nDisallow: /private', 'not named, some'],
  ['User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /', 'named, all'],
  ['user-AGENT : gptbot # OpenAI\r\nDISALLOW: / # all', 'named, nothing'],
  ['User-agent: GPTBot/1.2\nDisallow: /', 'named, nothing'],
  ['User-agent: ChatGPT-User\nDisallow: /', 'named, nothing', 'ChatGPT-User/2.0'],
  ['User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /', 'named, nothing'],
  ['User-agent: CCBot\nDisallow: /\nUser-agent: GPTBot\nDisallow: /x', 'named, some'],
  ['User-agent: GPTBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /', 'named, nothing'],
  ['User-agent: GPTBot\nDisallow: /\nAllow: /public', 'named, some'],
  ['User-agent: GPT\nDisallow: /', 'not named, all'],
  ['User-agent: GPTBot\nSitemap: https://example.com/s.xml\nDisallow: /', 'named, nothing'],
  ['Disallow: /\nUser-agent: GPTBot', 'named, all'],
  ['\ufeffUser-agent: GPTBot\nDisallow: /', 'named, nothing'],
])('%j: %s', async (text, found, agent) => {
  expect(await verdict(text, agent)).toBe(found);
});

const answering = (status: number, body: string): Pick<Outgoing, 'get'> => ({
  get: (url) =>
    Promise.resolve({ answer: { url: new URL(url), status, headers: {}, body: Buffer.from(body), isCut: false } }),
});
const site = { domain: 'example.com' };
const ALL = { agent: 'GPTBot', is_named: false, may_read: 'all' };

describe('the file of a site', () => {
  test('is loaded over https', async () => {
    const asked: string[] = [];
    const outgoing: Pick<Outgoing, 'get'> = {
      get: (url, options) => {
        asked.push(url);
        return answering(200, 'User-agent: GPTBot\nDisallow: /').get(url, options);
      },
    };
    expect(await checkRobots(outgoing, { site, agents: ['GPTBot', 'CCBot'] })).toEqual({
      found: 'file',
      verdicts: [
        { agent: 'GPTBot', is_named: true, may_read: 'nothing' },
        { ...ALL, agent: 'CCBot' },
      ],
    });
    expect(asked).toEqual(['https://example.com/robots.txt']);
  });

  test.each([404, 410, 403])('lets every agent read everything if there is none (%i)', async (status) => {
    const found = await checkRobots(answering(status, 'User-agent: *\nDisallow: /'), { site, agents: ['GPTBot'] });
    expect(found).toEqual({ found: 'none', verdicts: [ALL] });
  });

  test('that cannot be loaded says why', async () => {
    const failing: Pick<Outgoing, 'get'> = {
      get: () => Promise.resolve({ failure: 'timeout', url: null } satisfies Outcome),
    };
    expect(await checkRobots(failing, { site, agents: ['GPTBot'] })).toEqual({
      found: 'failure',
      failure: 'timeout',
      verdicts: [],
    });
    expect(await checkRobots(answering(503, ''), { site, agents: [] })).toEqual({
      found: 'failure',
      failure: 'error_status',
      verdicts: [],
    });
  });

  test('is not loaded when its owner gives the text', async () => {
    const none: Pick<Outgoing, 'get'> = { get: () => Promise.reject(new Error('loaded')) };
    expect(await checkRobots(none, { site, agents: ['GPTBot'], text: '' })).toEqual({ found: 'file', verdicts: [ALL] });
  });
});
