// Opens a tooltip next to its target, and closes it when the reader turns to something else. One is open at a time.
import { mount, unmount } from 'svelte';
import Tooltip from './Tooltip.svelte';

type Opened = { target: HTMLElement; lines: string[]; isPointed: boolean };

/** Room around the target and the tooltip, so that the pointer can move from one to the other. */
const MARGIN_PX = 10;
const ID = 'tooltip';
let last: AbortController | undefined;

export function openTooltip({ target, lines, isPointed }: Opened, closing: AbortController): void {
  if (lines.length === 0 || !target.isConnected) return;
  last?.abort();
  last = closing;
  const close = () => closing.abort();
  // A modal dialog hides everything outside of it from screen readers.
  const tooltip = mount(Tooltip, {
    target: target.closest('dialog') ?? document.body,
    props: { id: ID, lines, target },
  });
  target.setAttribute('aria-describedby', ID);
  closing.signal.addEventListener('abort', () => {
    target.removeAttribute('aria-describedby');
    void unmount(tooltip);
  });

  const options = { signal: closing.signal, capture: true };
  const isNear = ({ clientX, clientY }: PointerEvent) =>
    [target, document.getElementById(ID)].some((element) => {
      const box = element?.getBoundingClientRect();
      if (!box) return false;
      const isBeside = clientX < box.left - MARGIN_PX || clientX > box.right + MARGIN_PX;
      return !isBeside && clientY > box.top - MARGIN_PX && clientY < box.bottom + MARGIN_PX;
    });
  const closeAlone = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault(); // keeps the dialog behind it open, and the filters
    event.stopPropagation();
    close();
  };
  addEventListener('keydown', closeAlone, options);
  addEventListener('pointerdown', close, options);
  if (isPointed) addEventListener('pointermove', (event) => isNear(event) || close(), options);
}
