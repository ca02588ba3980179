// Arranges a dashboard for its reader. What changes is seen at once, and kept for the next visit.
import type { Asks } from '../../api/types';
import { remember } from '../../browser/storage';
import { type Board, rearrangements } from '../../view/board.svelte';
import { type Chapter, rearranged } from '../../../../server/vocabulary/settings/arrangement.ts';

let keeping: Promise<unknown> = Promise.resolve();

/** Changes are kept one after the other, so that the last one stays. */
export function keepInOrder(keep: () => Promise<unknown>): Promise<unknown> {
  const kept = keeping.then(keep);
  keeping = kept.catch(() => undefined);
  return kept;
}

/** Null takes a field back. Rejects if the server cannot keep it; it then holds until the page is left. */
export function arrange(board: Board, change: Asks['sites']['arrange']['change']): Promise<unknown> {
  const own = rearranged(board.own, change);
  rearrangements.set(board.base, own);
  if (board.shareToken) return Promise.resolve(remember(board.base, JSON.stringify(own)));
  const { id: site_id } = board.site;
  return keepInOrder(() => board.api.sites.arrange.mutate({ site_id, change }));
}

const arrangeQuietly = (...asked: Parameters<typeof arrange>): void => void arrange(...asked).catch(() => undefined);

/** Puts a chapter into the list of those that are folded or hidden, or takes it out. */
export function put(board: Board, list: 'folded' | 'hidden', chapter: Chapter, isOn: boolean): void {
  arrangeQuietly(board, { [list]: toggled(board.arrangement[list], chapter, isOn) });
}

export const toggled = (list: readonly Chapter[] = [], chapter: Chapter, isOn: boolean): Chapter[] => [
  ...list.filter((other) => other !== chapter),
  ...(isOn ? [chapter] : []),
];

/** `tab`: undefined for the usual one. The choice stands in no address, because it changes nothing that is counted. */
export function chooseTab(board: Board, panel: string, tab: string | undefined): void {
  const { [panel]: asked, ...others } = board.view.tabs;
  const { [panel]: _, ...kept } = board.own.tabs ?? {};
  arrangeQuietly(board, { tabs: tab === undefined ? kept : { ...kept, [panel]: tab } });
  if (asked !== undefined) board.go({ tabs: others }, { replaces: true });
}
