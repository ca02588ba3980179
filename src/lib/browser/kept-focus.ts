/**
 * Moves the focus to `heading` when the focused element of an area is removed, instead of to the top of the page. `orDisabled`: also when it is
 * disabled. Returns what ends it.
 */
export function keepFocus(
  area: HTMLElement,
  heading: HTMLElement,
  { orDisabled = false }: { orDisabled?: boolean } = {},
): () => void {
  let last: Element | null = area.contains(document.activeElement) ? document.activeElement : null;
  const note = ({ target }: FocusEvent) => (last = target instanceof Element ? target : null);
  area.addEventListener('focusin', note);
  const watch = new MutationObserver(() => {
    const { activeElement } = document;
    const isLost = !activeElement || activeElement === document.body || activeElement === area;
    const isGone = last && (!last.isConnected || (orDisabled && last.matches(':disabled')));
    if (isLost && isGone) heading.focus({ preventScroll: true });
  });
  watch.observe(area, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    area.removeEventListener('focusin', note);
    watch.disconnect();
  };
}
