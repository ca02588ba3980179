// For a bar that sticks below the page's header, however high that is: what gets the focus stays below both.
import type { Attachment } from 'svelte/attachments';

/** On the content of the element that sticks. */
export const stickBelowHeader: Attachment<HTMLElement> = ({ parentElement: bar }) => {
  const { style } = document.documentElement;
  const header = document.querySelector('header');
  const watch = new ResizeObserver(() => {
    style.setProperty('--header', `${header?.offsetHeight ?? 0}px`);
    style.setProperty('--bar-below', `${bar?.offsetHeight ?? 0}px`);
  });
  for (const part of [bar, header]) if (part) watch.observe(part);
  return () => {
    watch.disconnect();
    for (const name of ['--header', '--bar-below']) style.removeProperty(name);
  };
};
