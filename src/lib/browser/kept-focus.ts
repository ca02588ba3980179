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
  const isGone = () => last !== null && (!last.isConnected || (orDisabled && last.matches(':disabled')));
  /** After a click beside it nothing has the focus, and nothing takes it once the element goes. One that is being removed may lose it first, too. */
  const forget = () =>
    queueMicrotask(() => {
      if (document.activeElement === document.body && !isGone()) last = null;
    });
  area.addEventListener('focusin', note);
  area.addEventListener('focusout', forget);
  const watch = new MutationObserver(() => {
    const { activeElement } = document;
    const isLost = !activeElement || activeElement === document.body || activeElement === area;
    if (isLost && isGone()) heading.focus({ preventScroll: true });
  });
  watch.observe(area, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    area.removeEventListener('focusin', note);
    area.removeEventListener('focusout', forget);
    watch.disconnect();
  };
}
