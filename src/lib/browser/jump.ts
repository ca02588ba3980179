// Jumps to a part of the page.

/** Scrolls there, and moves the focus to the chosen tab, or else the first control, or the heading. */
export function jumpTo(part: Element | null, block: ScrollLogicalPosition = 'center'): void {
  part?.scrollIntoView({ block });
  const found = ['[aria-selected=true]', 'button, input, select, textarea', 'h2'].map((selector) =>
    part?.querySelector<HTMLElement>(selector),
  );
  found.find(Boolean)?.focus({ preventScroll: true });
}
