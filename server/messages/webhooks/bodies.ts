// The body that each format sends. Titles and lines may hold text from strangers, so they are shown as plain text: they mention nobody,
// link to nothing, and have no markup.
import { oneLine } from '../mail/names.ts';
import type { WebhookFormat } from '../../vocabulary/settings/webhooks.ts';
import type { Message } from './messages.ts';

/** A message as it was sent, with `origin` of this server for its link. */
type Sent = { message: Message; createdAt: number; origin: string };

export const BODIES: Record<WebhookFormat, (sent: Sent) => object> = {
  standard: ({ message: { type, data }, createdAt }) => ({ type, timestamp: new Date(createdAt).toISOString(), data }),
  slack: ({ message: { title, lines, path }, origin }) => {
    const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
    const shownTitle = fit(unlinked(title), SLACK.title, slackLetter);
    const shownLines = fit(lines.map(unlinked).join('\n'), SLACK.lines, slackLetter);
    const link = fit(linkTo(path, origin).replaceAll('|', '%7C'), SLACK.lines, slackLetter);
    return {
      text: shownTitle, // for notifications
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plain(shownTitle) },
        ...(shownLines === '' ? [] : [{ type: 'section', text: plain(shownLines) }]),
        { type: 'section', text: { type: 'mrkdwn', text: `<${link}|Open in Footfall>`, verbatim: true } },
      ],
    };
  },
  discord: ({ message: { title, lines, path }, origin }) => ({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: fit(unlinked(title), DISCORD.title, discordLetter),
        description: fit(lines.map(unlinked).join('\n'), DISCORD.lines, discordLetter),
        url: linkTo(path, origin),
      },
    ],
  }),
};

/** The longest texts that the receivers take, in characters. */
const SLACK = { title: 150, lines: 2900 };
const DISCORD = { title: 256, lines: 3500 };
const MAX_LINE = 500;
const WORD_JOINER = '\u2060';

/** Receivers turn `https://` and `example.com` into links, but not if an invisible word joiner stands in between. */
function unlinked(text: string): string {
  return oneLine(text, MAX_LINE)
    .replaceAll('://', `:${WORD_JOINER}//`)
    .replace(/\.(?=\p{L})|@/gu, `$&${WORD_JOINER}`);
}

/** Escapes each letter. The whole has at most `maxLength` characters, and no escape is cut in two. */
function fit(text: string, maxLength: number, escape: (letter: string) => string): string {
  let fitted = '';
  for (const letter of text) {
    const escaped = escape(letter);
    if (fitted.length + escaped.length >= maxLength) return `${fitted}…`;
    fitted += escaped;
  }
  return fitted;
}

/** Slack reads these as markup in every text: https://docs.slack.dev/messaging/formatting-message-text#escaping */
const SLACK_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const slackLetter = (letter: string) => SLACK_ESCAPES[letter] ?? letter;

/** A backslash stops Discord's Markdown, its mentions and its emoji. */
const discordLetter = (letter: string) => (/[\\*_~`|>#[\]()<:@-]/.test(letter) ? `\\${letter}` : letter);

/** Throws if the path leads to another server. */
function linkTo(path: string, origin: string): string {
  const url = new URL(path, origin);
  if (url.origin !== origin) throw new Error('the path of a message leads to another server');
  return url.href;
}
