// How a row filters: a click or Enter filters by it. With a modifier key, or by a long press on a touch screen, it is excluded.
import type { Attachment } from 'svelte/attachments';
import { isExclusion } from '../keyboard';
import type { Operator } from '../../../server/vocabulary/operators.ts';

/** How long phones wait before a touch is a long press. */
const HOLD_MS = 500;
/** A thumb that moves further is scrolling. */
const STILL_PX = 10;

export function filterGesture(filter: (operator: Operator) => void): Attachment<HTMLElement> {
  return (row) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let start = { x: 0, y: 0 };
    let wasHeld = false;
    const stop = () => clearTimeout(timer);
    const on = <K extends keyof HTMLElementEventMap>(type: K, listen: (event: HTMLElementEventMap[K]) => void) => {
      row.addEventListener(type, listen);
      return () => row.removeEventListener(type, listen);
    };
    const off = [
      on('pointerdown', (event) => {
        wasHeld = false;
        if (event.pointerType !== 'touch') return;
        start = { x: event.clientX, y: event.clientY };
        timer = setTimeout(() => {
          wasHeld = true;
          filter('is_not');
        }, HOLD_MS);
      }),
      on('pointermove', (event) => {
        if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > STILL_PX) stop();
      }),
      on('pointerup', stop),
      on('pointercancel', stop),
      on('contextmenu', (event) => {
        if (event instanceof PointerEvent && event.pointerType === 'touch') event.preventDefault();
      }),
      on('keydown', (event) => {
        // Browsers disagree on whether Enter with a modifier key is a click.
        if (event.key !== 'Enter' || !isExclusion(event)) return;
        event.preventDefault();
        filter('is_not');
      }),
      on('click', (event) => {
        if (!wasHeld) filter(isExclusion(event) ? 'is_not' : 'is');
        wasHeld = false;
      }),
    ];
    return () => {
      stop();
      for (const remove of off) remove();
    };
  };
}
