// Jumps to a part of the page.

/** Scrolls there, and moves the focus to the first control. */
export function jumpTo(part: Element | null, block: ScrollLogicalPosition = 'center'): void {
  part?.scrollIntoView({ block });
  part
    ?.querySelector<HTMLElement>('[aria-selected=true], button, input, select, textarea')
    ?.focus({ preventScroll: true });
}
