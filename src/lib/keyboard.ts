// The keys of the dashboard, as people know them from others: what they are called, and what they do.
import { PERIOD_NAMES, PERIODS, type Period } from '../../server/vocabulary/periods.ts';

export const KEYS: { keys: string[]; label: string }[] = [
  ...Object.values(PERIODS).flatMap(({ key, label }) => (key ? [{ keys: [key], label }] : [])),
  { keys: ['←', '→'], label: 'Previous, next period' },
  { keys: ['R'], label: 'Live view' },
  { keys: ['X'], label: 'Compare' },
  { keys: ['/'], label: 'Search and filter' },
  { keys: ['Esc'], label: 'Clear filters' },
  { keys: ['Alt', 'Enter'], label: 'Exclude a row' },
  { keys: ['1–9'], label: 'Switch site' },
  { keys: ['?'], label: 'Show this list' },
];

/** Where keys are text or a choice; a radio button and a switch take none of ours. */
const TYPING = 'input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]';

export type Command =
  | { does: 'period'; period: Period }
  | { does: 'shift'; steps: -1 | 1 }
  | { does: 'site'; index: number }
  | { does: 'live' | 'compare' | 'search' | 'clear' | 'help' };

/** A click or Enter with a modifier key excludes what one without it filters to. */
export const isExclusion = (event: MouseEvent | KeyboardEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;

/** What a key press asks for; undefined while somebody types, holds a modifier, or has something open above the page. */
export function readKey(event: KeyboardEvent): Command | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return undefined;
  const target = event.target instanceof Element ? event.target : undefined;
  if (target?.closest(TYPING)) return undefined;
  if (document.querySelector('dialog[open], :popover-open')) return undefined;

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
