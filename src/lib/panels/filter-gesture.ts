// How a row filters: a click or Enter filters by it. With a modifier key, or by a long press on a touch screen, it is excluded.
import type { Attachment } from 'svelte/attachments';
import { isExclusion } from '../controls/keyboard/keys';
import { longPress } from '../browser/long-press';
import type { Operator } from '../../../server/vocabulary/questions/operators.ts';

export function filterGesture(filter: (operator: Operator) => void): Attachment<HTMLElement> {
  return (row) => {
    const removePress = longPress(() => filter('is_not'))(row);
    const clicked = (event: MouseEvent) => filter(isExclusion(event) ? 'is_not' : 'is');
    const pressed = (event: KeyboardEvent) => {
      // Browsers disagree on whether Enter with a modifier key is a click.
      if (event.key !== 'Enter' || !isExclusion(event)) return;
      event.preventDefault();
      filter('is_not');
    };
    row.addEventListener('click', clicked);
    row.addEventListener('keydown', pressed);
    return () => {
      removePress?.();
      row.removeEventListener('click', clicked);
      row.removeEventListener('keydown', pressed);
    };
  };
}
