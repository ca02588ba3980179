/** @module-tag attack */
// The bodies that each format sends. Text from strangers is shown as it is: it mentions nobody, links to nothing, and has no markup.
import { expect, test } from 'vitest';
import type { WEBHOOK_FORMATS } from '../../server/vocabulary/settings/webhooks.ts';
import { BODIES } from '../../server/messages/webhooks/bodies.ts';
import type { Message } from '../../server/messages/webhooks/messages.ts';
import { makeSecret, signedHeaders } from '../../server/messages/webhooks/signature.ts';
import { showsRefused } from '../setup/run/harness.ts';

const origin = 'https://stats.example';
const MESSAGE: Message = {
  type: 'alert.started',
  title: 'example.com: 240 visitors in an hour',
  lines: ['Usual: 80 (+12.5 %)', 'Most from Hacker News'],
  path: '/example.com?period=today&filter=source|is|a>b',
  data: { site: 'example.com', unique_visitors: 240 },
};
const bodyOf = (format: (typeof WEBHOOK_FORMATS)[number], more: Partial<Message> = {}) =>
  BODIES[format]({ message: { ...MESSAGE, ...more }, createdAt: 0, origin });
const joiner = '\u2060';

test('each format has the shape that its receivers take', () => {
  const shownTitle = `example.${joiner}com: 240 visitors in an hour`;
  expect(bodyOf('standard')).toEqual({
    type: 'alert.started',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: MESSAGE.data,
  });
  expect(bodyOf('slack')).toEqual({
    text: shownTitle,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: shownTitle, emoji: false } },
      {
        type: 'section',
        text: { type: 'plain_text', text: 'Usual: 80 (+12.5 %)\nMost from Hacker News', emoji: false },
      },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          verbatim: true,
          text: '<https://stats.example/example.com?period=today&amp;filter=source%7Cis%7Ca%3Eb|Open in Footfall>',
        },
      },
    ],
  });
  expect(bodyOf('discord')).toEqual({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: `example.${joiner}com\\: 240 visitors in an hour`,
        description: 'Usual\\: 80 \\(+12.5 %\\)\nMost from Hacker News',
        url: 'https://stats.example/example.com?period=today&filter=source|is|a%3Eb',
      },
    ],
  });
});

const HOSTILE = [
  '@everyone',
  '@here',
  '<!channel>',
  '<!here|now>',
  '<@U012AB3CD>',
  '<#C024BE7LR>',
  '<@&123456>',
  '</run:1>',
  '<https://evil.example|your invoice>',
  '[your invoice](https://evil.example)',
  'https://evil.example/a',
  'evil.example',
  '*bold* _it_ ~no~ `code`',
  '```\nblock',
  '||spoiler||',
  '> quote',
  '# Title',
  '- list',
  ':warning: <:a:123>',
  'a\\',
  '&lt;!channel&gt;',
  'line\nbreak\u2028and\u202eturned',
  '\ud800 half',
];

test.each(HOSTILE)('%j is only text', (hostile) => {
  showsRefused('stored scripts', 2);
  for (const more of [{ title: hostile }, { lines: [hostile] }]) {
    const slack = bodyOf('slack', more) as { text: string; blocks: { text: { type: string; text: string } }[] };
    const shown = [
      slack.text,
      ...slack.blocks.filter(({ text }) => text.type === 'plain_text').map(({ text }) => text.text),
    ];
    for (const text of shown)
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|@[a-z]|:\/\/|evil\.example|[\u2028\u202e]/);
    expect(slack.blocks.at(-1)).toEqual((bodyOf('slack') as typeof slack).blocks.at(-1));
    const discord = bodyOf('discord', more) as {
      allowed_mentions: unknown;
      embeds: { title: string; description: string }[];
    };
    expect(discord.allowed_mentions).toEqual({ parse: [] });
    for (const text of discord.embeds.flatMap(({ title, description }) => [title, description])) {
      expect(text).not.toMatch(/(?<!\\)(\\\\)*[*_~`|>#[\]()<:@-]|@[a-z]|:\/\/|evil\.example|[\u2028\u202e]/);
      expect(text).not.toMatch(/(?<!\\)(\\\\)*\\$/); // would escape what follows
    }
    expect(JSON.stringify([slack, discord]).isWellFormed()).toBe(true);
  }
});

test('long texts are cut to what the receivers take, and no escape is cut in two', () => {
  const long = { title: '<'.repeat(5000), lines: Array.from({ length: 500 }, () => '&*'.repeat(400)) };
  const { blocks } = bodyOf('slack', long) as { blocks: { text: { text: string } }[] };
  const [title = '', lines = ''] = blocks.map(({ text }) => text.text);
  expect(title).toMatch(/^(&lt;)+…$/);
  expect(title.length).toBeLessThanOrEqual(150);
  expect(lines.length).toBeLessThanOrEqual(3000);
  const { embeds } = bodyOf('discord', long) as { embeds: { title: string; description: string }[] };
  expect(embeds[0]?.title).toMatch(/^(\\<)+…$/);
  expect(embeds[0]?.title.length).toBeLessThanOrEqual(256);
  expect(embeds[0]?.description.length).toBeLessThanOrEqual(4096);
});

test.each(['https://evil.example/', '//evil.example/', '\\\\evil.example', 'javascript:alert(1)'])(
  'a message whose path is %s is not written',
  (path) => {
    for (const format of ['slack', 'discord'] as const)
      expect(() => bodyOf(format, { path })).toThrow('the path of a message leads to another server');
  },
);

test('signatures are those of the specification’s example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sample = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at: 1_614_265_330_000 };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(signedHeaders([secret], sample)).toEqual({
    'webhook-id': sample.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  });
  const both = signedHeaders([makeSecret(), secret], sample)['webhook-signature'];
  expect(both?.split(' ')).toEqual([expect.stringMatching(/^v1,[\w+/]{43}=$/), signature]);
});
