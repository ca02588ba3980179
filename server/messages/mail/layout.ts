// The one layout of all mails: plain text, and HTML that follows the reader's light or dark setting. Nothing in it is loaded from a server,
// so opening a mail tells nobody.
import { t } from '../../vocabulary/habits/messages.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { blockHtml, blockText, FONT, INK, linkTo } from './blocks.ts';
import type { Block, Content } from './content.ts';
import { leftToRight, outermost, spoken } from './direction.ts';
import { headline } from './names.ts';

const MAX_SUBJECT = 150;

/** `images`: pictures within the mail, which its HTML names as `cid:NAME`. */
export type Letter = { subject: string; text: string; html: string; images: { name: string; png: Buffer }[] };

type Frame = {
  /** Where links lead, such as `https://stats.example.com`. */
  origin: string;
  /** Set for mails that people can unsubscribe from. */
  unsubscribe?: string | undefined;
};

export function layOut(content: Content, frame: Frame): Letter {
  const button = content.button && { label: content.button.label, href: linkTo(frame.origin, content.button.path) };
  const letter = { ...content, subject: headline(content.subject, MAX_SUBJECT), button };
  const images = picturesOf(content).map(({ png }, index) => ({
    name: nameOfPicture(index),
    png: Buffer.from(png, 'base64'),
  }));
  return { subject: letter.subject, text: asText(letter, frame), html: asHtml(letter, frame), images };
}

const picturesOf = ({ blocks = [] }: Pick<Content, 'blocks'>) => blocks.filter((block) => block.kind === 'picture');
const nameOfPicture = (index: number) => `picture-${index}`;

/** The HTML with its pictures inside, for a browser. Links open outside of a frame. */
export function asPage({ html, images }: Letter): string {
  const base = html.replace('<head>', '<head>\n<base target="_blank">');
  return images.reduce(
    (page, { name, png }) => page.replace(`"cid:${name}"`, `"data:image/png;base64,${png.toString('base64')}"`),
    base,
  );
}

type Written = Omit<Content, 'button'> & { button: { label: string; href: string } | undefined };

function reasonOf({ reason }: Pick<Content, 'reason'>, { origin }: Frame): string {
  const { host } = new URL(origin);
  return reason?.(host) ?? t('You get this mail because of an account at {host}.', { host });
}

function asText({ paragraphs, blocks = [], button, ...rest }: Written, frame: Frame): string {
  const parts = [...paragraphs, ...blocks.map((block) => blockText(block, frame.origin))];
  if (button) parts.push(`${t('{label}:', { label: button.label })}\n${button.href}`);
  parts.push(
    [
      '-- ',
      'Footfall',
      reasonOf(rest, frame),
      ...(frame.unsubscribe ? [`${t('Unsubscribe:')} ${frame.unsubscribe}`] : []),
    ].join('\n'),
  );
  return `${parts.join('\n\n')}\n`;
}

/** For mail programs that support it; the others show the light colours of the attributes below. */
const DARK = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #0c110f !important; }
  .card { background: #141a17 !important; border-color: #222b27 !important; }
  .ink { color: #edf3ef !important; }
  .soft, .soft a { color: #b0bcb5 !important; }
  .button { background: #46cb96 !important; color: #04231a !important; }
  .line { border-color: #222b27 !important; }
  .good { color: #46cb96 !important; }
  .bad { color: #ff9d8f !important; }
}`;

const SOFT = `${FONT}; font-size: 13px; line-height: 20px; color: #48554d; overflow-wrap: anywhere`;

function asHtml({ subject, paragraphs, blocks = [], button, ...rest }: Written, frame: Frame): string {
  const texts = paragraphs.map(
    (paragraph) =>
      `<p class="ink" style="margin: 0 0 16px; ${FONT}; font-size: 16px; line-height: 24px; color: ${INK}; overflow-wrap: anywhere">${escapeXml(paragraph)}</p>`,
  );
  const pictures = blocks.filter(({ kind }) => kind === 'picture');
  const drawn = blocks.map((block: Block) =>
    blockHtml(block, { picture: nameOfPicture(pictures.indexOf(block)), origin: frame.origin }),
  );
  const unsubscribe =
    frame.unsubscribe &&
    `<br><a href="${escapeXml(frame.unsubscribe)}" style="color: #48554d">${escapeXml(t('Unsubscribe from mails like this'))}</a>`;
  return `<!doctype html>
<html${spoken()}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeXml(subject)}</title>
<style>${DARK}
</style>
</head>
<body class="page" style="margin: 0; padding: 0; background: #f6f7f5">
<table role="presentation"${outermost()} class="page" width="100%" cellpadding="0" cellspacing="0" style="background: #f6f7f5"><tr><td align="center" style="padding: 32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 520px">
<tr><td class="ink" style="padding: 0 4px 12px; ${FONT}; font-size: 15px; font-weight: 600; color: #131c17">Footfall</td></tr>
<tr><td class="card" style="padding: 32px 28px 20px; background: #ffffff; border: 1px solid #e7eae5; border-radius: 12px">
<h1 class="ink" style="margin: 0 0 16px; ${FONT}; font-size: 20px; line-height: 28px; font-weight: 600; color: #131c17; overflow-wrap: anywhere">${escapeXml(subject)}</h1>
${[...texts, ...drawn].join('\n')}
${button ? buttonHtml(button) : ''}
</td></tr>
<tr><td class="soft" style="padding: 16px 4px 0; ${SOFT}">${escapeXml(reasonOf(rest, frame))}${unsubscribe ?? ''}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function buttonHtml({ label, href }: { label: string; href: string }): string {
  const link = escapeXml(href);
  return `<p style="margin: 8px 0 20px"><a class="button" href="${link}" style="display: inline-block; padding: 12px 20px; border-radius: 8px; background: #0e7a54; color: #ffffff; ${FONT}; font-size: 16px; line-height: 20px; font-weight: 600; text-decoration: none">${escapeXml(label)}</a></p>
<p class="soft" style="margin: 0 0 12px; ${SOFT}">${escapeXml(t('If the button does not work, open this address:'))}<br><a href="${link}"${leftToRight()} style="color: #48554d">${link}</a></p>`;
}
