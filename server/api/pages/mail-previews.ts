// /mails/: every kind of mail, with sample data, light and dark. Only the development server has this page.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Config, ownOrigin } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import { kindOf, MAIL_KINDS } from '../../messages/mail/kinds.ts';
import { asPage, layOut, type Letter } from '../../messages/mail/layout.ts';
import { UNSUBSCRIBE_PATH } from '../../messages/mail/unsubscribe.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const PREVIEW = /^\/mails\/([a-z_]+)\.(html|txt)$/;

export function openMailPreviews(config: Config) {
  const origin = ownOrigin(config);
  const letterOf = (name: string): Letter => {
    const kind = kindOf(name);
    if (!kind) throw new Refusal('not_found', t('There is no such kind of mail.'));
    const unsubscribe = kind.about === 'account' ? undefined : `${origin}${UNSUBSCRIBE_PATH}example`;
    return layOut(kind.write(kind.sample), { origin, unsubscribe });
  };

  return (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    checkIsRead(request, response);
    const [, name = '', form] = PREVIEW.exec(url.pathname) ?? [];
    const text = form === undefined ? overview() : form === 'html' ? asPage(letterOf(name)) : letterOf(name).text;
    response.writeHead(200, {
      'content-type': `text/${form === 'txt' ? 'plain' : 'html'}; charset=utf-8`,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'",
      'cache-control': 'no-store',
    });
    response.end(text);
  };

  function overview(): string {
    const rows = Object.keys(MAIL_KINDS).map((name) => {
      const frame = (scheme: string) =>
        `<iframe src="/mails/${name}.html" title="${name}, ${scheme}" style="color-scheme: ${scheme}"></iframe>`;
      const heading = `<h2>${escapeXml(letterOf(name).subject)}</h2>`;
      const links = `<p>${name}: <a href="/mails/${name}.html">HTML</a>, <a href="/mails/${name}.txt">text</a></p>`;
      return `<section>${heading}${links}${frame('light')}${frame('dark')}</section>`;
    });
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mails</title>
<style>body { font-family: sans-serif; margin: 24px } iframe { width: min(600px, 48%); height: 520px; border: 1px solid #ccc }</style>
<h1>Mails</h1>${rows.join('\n')}</html>`;
  }
}
