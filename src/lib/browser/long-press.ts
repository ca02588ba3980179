// A long press on a touch screen. The click and the browser's menu that come with it do not happen.
import type { Attachment } from 'svelte/attachments';

/** How long phones wait before a touch is a long press. */
const HOLD_MS = 500;
/** A thumb that moves further is scrolling. */
const STILL_PX = 10;

export function longPress(act: (event: PointerEvent) => void): Attachment<HTMLElement> {
  return (target) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let start = { x: 0, y: 0 };
    let wasHeld = false;
    const stop = () => clearTimeout(timer);
    const removal = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, listen: (event: HTMLElementEventMap[K]) => void) =>
      target.addEventListener(type, listen, { signal: removal.signal, capture: true });
    on('pointerdown', (event) => {
      wasHeld = false;
      if (event.pointerType !== 'touch') return;
      start = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        wasHeld = true;
        act(event);
      }, HOLD_MS);
    });
    on('pointermove', (event) => {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > STILL_PX) stop();
    });
    on('pointerup', stop);
    on('pointercancel', stop);
    on('contextmenu', (event) => {
      if (event instanceof PointerEvent && event.pointerType === 'touch') event.preventDefault();
    });
    // Otherwise the finger that leaves the screen clicks what is under it by then.
    on('touchend', (event) => {
      if (wasHeld) event.preventDefault();
      wasHeld = false;
    });
    return () => {
      stop();
      removal.abort();
    };
  };
}
