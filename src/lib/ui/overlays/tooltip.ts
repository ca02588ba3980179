// Shows a tooltip on hover, keyboard focus and touch. The box and its text are loaded when they are first needed.
import type { Attachment } from 'svelte/attachments';

/** Long enough that a pointer on its way elsewhere opens nothing. */
const HOVER_MS = 400;
const HOLD_MS = 500;

/** How a finger opens it. `none` is for rows, which a long press already excludes. */
type Touch = 'hold' | 'tap' | 'none';

/** `read` returns the lines of the tooltip; empty ones are left out. */
export function tooltip(read: () => Promise<string[]>, touch: Touch = 'hold'): Attachment<HTMLElement> {
  return (target) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let opening: AbortController | undefined;
    let wasHeld = false;

    function hide(): void {
      clearTimeout(timer);
      opening?.abort();
    }

    async function open(closing: AbortController, isPointed: boolean): Promise<void> {
      const lines = await read();
      const { openTooltip } = await import('./open-tooltip');
      if (!closing.signal.aborted) openTooltip({ target, lines: lines.filter(Boolean), isPointed }, closing);
    }

    function show(afterMs: number, isPointed = false): void {
      hide();
      const closing = (opening = new AbortController());
      timer = setTimeout(() => {
        wasHeld = afterMs === HOLD_MS;
        open(closing, isPointed).catch(() => undefined); // offline there is no tooltip, and no message about it
      }, afterMs);
    }

    const removal = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, listen: (event: HTMLElementEventMap[K]) => void) =>
      target.addEventListener(type, listen, { signal: removal.signal, capture: true });
    on('pointerenter', ({ pointerType }) => pointerType !== 'touch' && show(HOVER_MS, true));
    on('pointerleave', () => clearTimeout(timer));
    on('pointerdown', ({ pointerType }) => {
      wasHeld = false;
      if (pointerType === 'touch' && touch === 'hold') show(HOLD_MS);
      else hide();
    });
    on('pointerup', () => clearTimeout(timer));
    on('pointercancel', hide);
    on('focus', () => target.matches(':focus-visible') && show(0));
    on('blur', hide);
    on('contextmenu', (event) => wasHeld && event.preventDefault());
    on('click', (event) => {
      if (touch === 'tap') show(0);
      else if (wasHeld) event.stopImmediatePropagation();
      wasHeld = false;
    });
    return () => {
      hide();
      removal.abort();
    };
  };
}
