// Leads to a part of the page.

/** Scrolls there, and moves the focus to the first control. */
export function jumpTo(selector: string): void {
  const part = document.querySelector(selector);
  part?.scrollIntoView({ block: 'center' });
  part?.querySelector<HTMLElement>('[aria-selected=true], button')?.focus({ preventScroll: true });
}
