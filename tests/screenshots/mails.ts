// One page with every kind of mail, and the reports as they are mailed, each as narrow as a phone and as wide as a window.
import { kindOf, MAIL_KINDS } from '../../server/messages/mail/kinds.ts';
import { asPage, layOut } from '../../server/messages/mail/layout.ts';
import { escapeXml } from '../../server/vocabulary/texts/markup.ts';

const ORIGIN = 'https://stats.example';
const WIDTHS = [390, 700];

export function drawMails(reports: readonly string[]): string {
  const samples = Object.keys(MAIL_KINDS).flatMap((name) => {
    const kind = kindOf(name);
    if (!kind) return [];
    const unsubscribe = kind.about === 'account' ? undefined : `${ORIGIN}/unsubscribe/example`;
    return asPage(layOut(kind.write(kind.sample), { origin: ORIGIN, unsubscribe }));
  });
  const frameOf = (mail: string, width: number) =>
    `<iframe title="Mail" width="${width}" srcdoc="${escapeXml(mail)}" onload="this.height = this.contentDocument.documentElement.scrollHeight"></iframe>`;
  const rows = [...samples, ...reports].map(
    (mail) => `<p>${WIDTHS.map((width) => frameOf(mail, width)).join('\n')}</p>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mails</title>
<style>body, p { margin: 0 } p { display: flex; gap: 8px; align-items: start; margin-bottom: 8px } iframe { border: 0 } h1 { position: absolute; clip-path: inset(50%); margin: 0 }</style>
<main><h1>Mails</h1>${rows.join('\n')}</main></html>`;
}
