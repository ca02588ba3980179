// Files that the page makes, and texts for the clipboard.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { type Cell, toCsv } from '../../../server/vocabulary/texts/csv.ts';

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  // The byte order mark tells spreadsheets that the text is UTF-8.
  saveFile(name.replace(/[^\p{L}\p{N}._-]+/gu, '-'), new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv' }));
}

/** Call it in the click itself: Safari lets a page write only then, though the text may come later. */
export async function copyText(text: Promise<string>): Promise<void> {
  const blob = text.then((ready) => new Blob([ready], { type: 'text/plain' }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
  } catch {
    const ready = await text; // its own failure says more
    await navigator.clipboard.writeText(ready).catch(() => {
      throw new Error(t('This browser lets no page copy here. It needs https and your permission.'));
    });
  }
}
