// Questions in plain words: what the server understood of them, and the view that they open.
import { goto } from '$app/navigation';
import { MAX_QUESTION } from '../../../../server/vocabulary/asking/words.ts';
import type { Understood } from '../../api/types';
import { jumpTo } from '../../browser/jump';
import type { Board } from '../../view/board.svelte';

/** A single word is found among entries and values. Viewers of a share link have no questions. */
export const isWorthAsking = ({ shareToken }: Board, text: string): boolean => !shareToken && /\S\s+\S/.test(text);

export function askInWords(board: Board, text: string, signal: AbortSignal): Promise<Understood> {
  const { site_id, period, date_from, date_to, compare, compare_from, compare_to } = board.question;
  const shown = { period, date_from, date_to, compare, compare_from, compare_to };
  return board.api.stats.ask.query({ site_id, q: text.slice(0, MAX_QUESTION), ...shown }, { signal });
}

/** True if the text is surely a question, even if an entry matches it too: "revenue by campaign" is, "last 7 days" may be either. */
export const understandsEnough = ({ parts }: Understood): boolean =>
  parts.length > 1 && parts.every(({ problem }) => problem === null);

/** `text`: the same question with a known word in place of an unknown one. */
type Proposal = { text: string; label: string; unknown: string };

export const proposalsOf = ({ parts }: Understood, asked: string): Proposal[] =>
  parts.flatMap(({ text: unknown, from, to, nearest }) =>
    nearest.map(({ text, label }) => ({ text: asked.slice(0, from) + text + asked.slice(to), label, unknown })),
  );

export async function openAnswer(board: Board, { address, panel }: Understood): Promise<void> {
  await goto(`${board.base}${address}`, { keepFocus: true, noScroll: true });
  if (!panel || board.view.details) return;
  // A chapter that has not been seen yet has no panels.
  const part = (name: string) => document.querySelector(`[data-panel="${name}"]`);
  jumpTo(part(panel) ?? (panel.startsWith('ai') ? part('ai') : null));
}
