// Watches whether an element is in the window.
import type { Attachment } from 'svelte/attachments';

/** How far below the window something may be when it starts to load. */
export const AHEAD = '300px';

/** `margin` also counts what is this near to the window, such as `300px`. */
export function inView(onchange: (isInView: boolean) => void, margin = '0px'): Attachment<HTMLElement> {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (last) onchange(last.isIntersecting);
      },
      { rootMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
