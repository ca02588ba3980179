// The text of a piece of HTML, without its tags.
import { readHtml } from '../../process/outgoing/html.ts';

export function textOf(html: string): string {
  if (!html.includes('<') && !html.includes('&')) return html;
  const parts: string[] = [];
  readHtml(html, {
    onOpen: (name) => parts.push(name === 'br' || name === 'p' ? ' ' : ''),
    onText: (text) => parts.push(text),
  });
  return parts.join('').trim();
}
