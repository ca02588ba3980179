// For a bar that sticks below the page's header, however high that is: what gets the focus stays below both, and so does the header's line.
import type { Attachment } from 'svelte/attachments';

/** On the content of the element that sticks. */
export const stickBelowHeader: Attachment<HTMLElement> = ({ parentElement: bar }) => {
  const header = document.querySelector('header');
  if (!bar || !header) return;
  const { style } = document.documentElement;
  let stuck: IntersectionObserver | undefined;
  const resized = new ResizeObserver(() => {
    const [top, height] = [header.offsetHeight, `${bar.offsetHeight}px`];
    style.setProperty('--header', `${top}px`);
    style.setProperty('--bar-below', height);
    stuck?.disconnect();
    const changed = ([at]: IntersectionObserverEntry[]) =>
      style.setProperty('--line-below', at && at.boundingClientRect.top < top + 1 ? height : '0px');
    stuck = new IntersectionObserver(changed, { rootMargin: `-${top + 1}px 0px 0px`, threshold: 1 });
    stuck.observe(bar);
  });
  for (const part of [bar, header]) resized.observe(part);
  return () => {
    resized.disconnect();
    stuck?.disconnect();
    for (const name of ['--header', '--bar-below', '--line-below']) style.removeProperty(name);
  };
};
