// Pages of plain HTML for people without an account: no scripts, one style, and nothing from elsewhere. They print well.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { languageAttributes } from '../../process/habits.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { customColours } from '../../sites/previews/colours.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';

type Page = { title: string; body: string; status?: number };
type Exchange = { files: StaticFiles; request: IncomingMessage; response: ServerResponse };

/** `body`: markup, below a heading with the title, in the language of whoever asks: call it within their habits. */
export function sendPlainPage({ files, request, response }: Exchange, { title, body, status = 200 }: Page): void {
  const style = styleOf(files.font);
  const html = documentOf({ title, style }, body);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'cache-control': 'no-cache',
    vary: 'accept-language',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  });
  response.end(request.method === 'HEAD' ? undefined : html);
}

const documentOf = ({ title, style }: { title: string; style: string }, body: string): string => `<!doctype html>
<html ${languageAttributes()}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
${body}
</main>
</body>
</html>
`;

const styleOf = (font: string | undefined): string => `
${font === undefined ? '' : `@font-face { font-family: Geist; font-weight: 100 900; font-display: swap; src: url(${font}) format('woff2'); }`}
:root { color-scheme: light dark; ${customColours('light')} }
@media (prefers-color-scheme: dark) { :root { ${customColours('dark')} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 400 16px/1.6 Geist, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 760px; margin: 0 auto; padding: 48px 20px 64px; }
h1 { margin: 0 0 16px; font-size: 32px; line-height: 1.2; font-weight: 600; letter-spacing: -0.025em; }
h2 { margin: 0 0 12px; font-size: 18px; font-weight: 600; letter-spacing: -0.01em; }
p { margin: 0 0 12px; }
.lead { margin-bottom: 28px; color: var(--soft); font-size: 17px; }
section { margin-bottom: 20px; padding: 20px 24px; border: 1px solid var(--edge); border-radius: 14px; background: var(--back); }
section > :last-child { margin-bottom: 0; }
ul { margin: 0 0 12px; padding-inline-start: 20px; }
li { margin-bottom: 6px; }
li:last-child { margin-bottom: 0; }
strong { font-weight: 600; }
a { color: var(--line); }
address { font-style: normal; }
code { padding: 1px 5px; border-radius: 5px; background: var(--n0); font: 0.9em ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 10px 0; border-top: 1px solid var(--edge); text-align: start; vertical-align: top; font-weight: 400; }
th { width: 45%; padding-inline-end: 16px; }
thead th { padding-top: 0; border: 0; color: var(--soft); font-size: 14px; }
td { color: var(--soft); }
[dir=rtl] :is(h1, h2) { letter-spacing: 0; }
footer { margin-top: 28px; color: var(--soft); font-size: 14px; }
@media (max-width: 560px) {
  main { padding: 28px 12px 48px; }
  h1 { font-size: 26px; }
  section { padding: 16px; }
  thead { display: none; }
  tr { display: block; padding: 10px 0; border-top: 1px solid var(--edge); }
  tr:first-child { padding-top: 0; border: 0; }
  th, td { display: block; width: auto; padding: 0; border: 0; }
  th { font-weight: 600; }
}
@media print {
  :root { ${customColours('light')}; --page: #fff; }
  main { max-width: none; padding: 0; }
  section { padding: 0; border: 0; break-inside: avoid; }
}
`;
