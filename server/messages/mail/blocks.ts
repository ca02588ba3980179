// The parts of a mail with numbers: a large figure, a picture and tables, as text and as HTML. The classes change colours in dark mode.
import { t } from '../../vocabulary/habits/messages.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';
import type { Block, Row } from './content.ts';
import { below, leftToRight, ofItself } from './direction.ts';

export const FONT = "font-family: -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
export const INK = '#131c17';
const SOFT = '#48554d';
const VERDICTS = { good: '#0b6e4b', bad: '#b3261e', same: SOFT };
const SMALL = `${FONT}; font-size: 13px; line-height: 20px`;
const BODY = `${FONT}; font-size: 15px; line-height: 22px`;

export function blockText(block: Block, origin: string): string {
  switch (block.kind) {
    case 'figure':
      return valueText({ ...block, name: block.label, change: block.says });
    case 'picture':
      return block.alt;
    case 'table':
      return [block.title, ...block.rows.map((row) => rowText(row, origin))].join('\n');
  }
}

const rowText = ({ name, value, change, path }: Row, origin: string): string =>
  `  ${valueText({ name, value, change })}${path ? `\n  ${linkTo(origin, path)}` : ''}`;

const valueText = ({ name, value, change }: Row): string =>
  change && change.text !== ''
    ? t('{name}: {value} ({change})', { name, value, change: change.text })
    : t('{name}: {value}', { name, value });

/** Appends, and does not resolve: `//evil.example` would resolve to another host. */
export function linkTo(origin: string, path: string): string {
  if (!path.startsWith('/')) throw new Error('a link in a mail must start with a slash');
  return `${origin}${path}`;
}

/** `picture`: the name of the block's picture within the mail. */
export function blockHtml(block: Block, { picture, origin }: { picture: string; origin: string }): string {
  switch (block.kind) {
    case 'figure':
      return `<p class="soft" style="margin: 0; ${SMALL}; color: ${SOFT}">${escapeXml(block.label)}</p>
<p class="ink" style="margin: 0 0 16px; ${FONT}; font-size: 36px; line-height: 44px; font-weight: 600; color: ${INK}">${escapeXml(block.value)}${block.says ? ` <span class="${classOf(block.says.verdict)}" style="font-size: 15px; line-height: 22px; font-weight: 600; color: ${VERDICTS[block.says.verdict]}">${escapeXml(block.says.text)}</span>` : ''}</p>`;
    case 'picture':
      return `<img src="cid:${picture}" width="462" alt="${escapeXml(block.alt)}" style="display: block; width: 100%; height: auto; border: 0; ${SMALL}; color: ${SOFT}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin: 0 0 20px"${leftToRight()}><tr><td class="soft"${below('left')} style="${SMALL}; color: ${SOFT}">${escapeXml(block.ends[0])}</td><td class="soft"${below('right')} style="${SMALL}; color: ${SOFT}">${escapeXml(block.ends[1])}</td></tr></table>`;
    case 'table':
      return `<h2 class="ink" style="margin: 20px 0 4px; ${FONT}; font-size: 15px; line-height: 22px; font-weight: 600; color: ${INK}">${escapeXml(block.title)}</h2>
<table width="100%" cellpadding="0" cellspacing="0" style="margin: 0 0 20px; border-collapse: collapse; table-layout: fixed">
${block.rows.map((row) => rowHtml(row, origin)).join('\n')}
</table>`;
  }
}

const classOf = (verdict: keyof typeof VERDICTS) => (verdict === 'same' ? 'soft' : verdict);

function rowHtml({ name, value, change, path }: Row, origin: string): string {
  const cell = 'padding: 6px 0; border-top: 1px solid #e7eae5; vertical-align: top';
  const changed = change
    ? `<td class="line ${classOf(change.verdict)}"${ofItself('end')} width="68" style="${cell}; ${SMALL}; color: ${VERDICTS[change.verdict]}; white-space: nowrap">${escapeXml(change.text)}</td>`
    : '';
  const shown = path
    ? `<a class="ink" href="${escapeXml(linkTo(origin, path))}" style="color: ${INK}">${escapeXml(name)}</a>`
    : escapeXml(name);
  return `<tr><td class="line ink"${ofItself('start')} style="${cell}; ${BODY}; color: ${INK}; overflow-wrap: anywhere">${shown}</td><td class="line ink"${ofItself('end')} width="68" style="${cell}; ${BODY}; color: ${INK}; white-space: nowrap">${escapeXml(value)}</td>${changed}</tr>`;
}
