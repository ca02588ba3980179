// The keyboard shortcuts of the dashboard, similar to those of other analytics products.
import { PERIOD_NAMES, PERIODS, type Period } from '../../../../server/vocabulary/time/periods.ts';

/** Elements that use the keys themselves. Radio buttons and switches use none of our shortcuts. */
const TYPING = 'input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]';

type Command =
  | { does: 'period'; period: Period }
  | { does: 'shift'; steps: -1 | 1 }
  | { does: 'site'; index: number }
  | { does: 'live' | 'compare' | 'search' | 'filter' | 'clear' | 'help' | 'explain' };

/** With a modifier key, a click or Enter excludes instead of filtering. */
export const isExclusion = (event: MouseEvent | KeyboardEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;

/** Ctrl-K or Cmd-K, which work while typing, too. */
const isSearch = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';

/** The command of a key press. Undefined while the user types, holds a modifier, or has a dialog or popover open. */
export function readKey(event: KeyboardEvent): Command | undefined {
  if (isSearch(event)) return document.querySelector('dialog[open]') ? undefined : { does: 'search' };
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return undefined;
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest(TYPING)) return undefined;
  // A tooltip is in nobody's way: it opens wherever the pointer happens to rest.
  if (document.querySelector('dialog[open], :popover-open:not([role=tooltip])')) return undefined;

  const period = PERIOD_NAMES.find((name) => PERIODS[name].key === event.key.toUpperCase());
  if (period) return { does: 'period', period };
  if (/^[1-9]$/.test(event.key)) return { does: 'site', index: Number(event.key) - 1 };
  switch (event.key) {
    case 'ArrowLeft':
      return { does: 'shift', steps: -1 };
    case 'ArrowRight':
      return { does: 'shift', steps: 1 };
    case 'r':
    case 'R':
      return { does: 'live' };
    case 'x':
    case 'X':
      return { does: 'compare' };
    case 'f':
    case 'F':
      return { does: 'filter' };
    case 'i':
    case 'I':
      return { does: 'explain' };
    case '/':
      return { does: 'search' };
    case 'Escape':
      return { does: 'clear' };
    case '?':
      return { does: 'help' };
    default:
      return undefined;
  }
}
