// Jumps to a part of the page.

/** Scrolls there, and moves the focus to the first control, or to the heading while there is none. */
export function jumpTo(part: Element | null, block: ScrollLogicalPosition = 'center'): void {
  part?.scrollIntoView({ block });
  const control = part?.querySelector<HTMLElement>('[aria-selected=true], button, input, select, textarea');
  (control ?? part?.querySelector<HTMLElement>('h2'))?.focus({ preventScroll: true });
}
