// Checks a page with axe-core: names, roles, contrast, sizes of targets.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** What depends on colours alone. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
const ALL = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

type Axe = {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; help: string; nodes: { target: unknown[] }[] }[] }>;
};

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One line for each broken rule, with the elements that break it. `ofColours`: of a page that was checked in the other theme before. */
export async function violations(page: Page, { ofColours = false } = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await source);
  return page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const found = await axe.run(document, { runOnly, resultTypes: ['violations'] }); // half the CPU: what passes is not described
      return found.violations.map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
      );
    },
    ofColours ? COLOURS : ALL,
  );
}
