// A language that nobody speaks: every message is longer than in English, and in brackets. A text without brackets is written in the code, and one that
// does not fit is cut or makes the page wider.
import type { BrowserContext, Page } from 'playwright-core';

const MARKS = /\{\w+\}|<\/?\d+\/?>/;

const longer = (word: string): string => word + '~'.repeat(Math.max(1, Math.round(word.length * 0.35)));
/** `⟦Save~⟧`: some forty in a hundred longer. */
function pseudo(text: string): string {
  const parts = text.split(new RegExp(`(${MARKS.source})`));
  const words = parts.map((part) => (MARKS.test(part) ? part : part.replaceAll(/[a-zA-Z’]+/g, longer)));
  return `⟦${words.join('')}⟧`;
}

/** From their next load on, the pages of a browser are in it. */
export async function speakPseudo(context: BrowserContext): Promise<void> {
  await context.route('**/messages-*/*.json', async (route) => {
    const response = await route.fetch();
    const file = (await response.json()) as object;
    const json = JSON.parse(JSON.stringify(file), (_key, value: unknown) =>
      typeof value === 'string' ? pseudo(value) : value,
    ) as unknown;
    await route.fulfill({ response, json });
  });
}

/** What people read on a page and what is read to them, as far as it is not in brackets. A message with elements is in several pieces. */
export const unmarked = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const note = (text: string | null | undefined) => {
      // What is left without messages in brackets and pieces of them.
      let [left, depth] = ['', 0];
      for (const letter of text ?? '') {
        // What stands before the end of a message that began in another element is of that message, too.
        if (letter === '⟧' && depth === 0) left = '';
        else if (letter === '⟧') depth -= 1;
        else if (letter === '⟦') depth += 1;
        else if (depth === 0) left += letter;
      }
      left = left
        .split(/\s+/)
        .filter((word) => !word.includes('~'))
        .join(' ')
        .trim();
      if (/\p{L}{2}/u.test(left)) found.add(left);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { parentElement: parent } = texts.currentNode;
      const isOther = parent?.closest('script, style, code, pre, kbd, textarea, bdi, time, [translate=no], [hidden]');
      if (!isOther) note(texts.currentNode.textContent);
    }
    for (const name of ['title', 'aria-label', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (!element.closest('[translate=no]')) note(element.getAttribute(name));
    note(document.title.replace('Footfall', ''));
    return [...found];
  });

/** By how many pixels a page is wider than its window. */
export const tooWide = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
