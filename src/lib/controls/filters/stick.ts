// For a bar that sticks below the page's header, however high that is: what gets the focus stays below both, and so does the header's line.
import type { Attachment } from 'svelte/attachments';

/**
 * On the content of the element that sticks. Only the elements concerned are told: each element of the page inherits what its root is given, which
 * takes 50 ms.
 */
export const stickBelowHeader: Attachment<HTMLElement> = ({ parentElement: bar }) => {
  const header = document.querySelector('header');
  if (!bar || !header) return;
  const root = document.documentElement;
  let stuck: IntersectionObserver | undefined;
  const drawLine = (below: string) => header.style.setProperty('--line-below', below);
  const resized = new ResizeObserver(() => {
    const [top, height] = [header.offsetHeight, bar.offsetHeight];
    bar.style.top = `${top}px`;
    root.style.scrollPaddingTop = `calc(${top + height}px + var(--space-2))`;
    stuck?.disconnect();
    const changed = ([at]: IntersectionObserverEntry[]) =>
      drawLine(at && at.boundingClientRect.top < top + 1 ? `${height}px` : '0px');
    stuck = new IntersectionObserver(changed, { rootMargin: `-${top + 1}px 0px 0px`, threshold: 1 });
    stuck.observe(bar);
  });
  for (const part of [bar, header]) resized.observe(part);
  return () => {
    resized.disconnect();
    stuck?.disconnect();
    drawLine('0px');
    bar.style.removeProperty('top');
    root.style.removeProperty('scroll-padding-top');
  };
};
