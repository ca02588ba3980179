// The rows of lists in pieces of shared dashboards, which the server draws, and the script in their frames as well. Words are always escaped, and
// sizes are attributes of SVG, which the strictest policy allows.
import { escapeXml } from './markup.ts';

/** `part`: of the largest row. */
export const bar = (part: number): string =>
  `<svg class="bar" aria-hidden="true"><rect width="${(100 * Math.min(1, Math.max(0, part))).toFixed(1)}%" height="100%" rx="3"/></svg>`;

/** `shown`: how a value is written. */
export function barRows(rows: readonly { name: string; value: number }[], shown: (value: number) => string): string {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const items = rows.map(
    ({ name, value }) =>
      `<li>${bar(value / most)}<bdi title="${escapeXml(name)}">${escapeXml(name)}</bdi><b>${escapeXml(shown(value))}</b></li>`,
  );
  return items.join('');
}
