// Prints the view, or saves it as PDF: first everything is loaded, even what has not been scrolled to yet.
import { tick } from 'svelte';
import { printing } from './printing.svelte';

/** A panel that takes longer is printed as it is. */
const MAX_WAIT_MS = 20_000;
const LOADING = 'main [data-state="loading"], main [aria-busy="true"]';

/** Opens the browser's print dialog. */
export async function printView(): Promise<void> {
  const root = document.documentElement;
  printing.isPreparing = true;
  root.classList.add('printing');
  root.dataset['theme'] = 'light';
  try {
    await tick();
    await isLoaded();
    await painted();
    print();
  } finally {
    printing.isPreparing = false;
    root.classList.remove('printing');
    dispatchEvent(new Event('footfall:theme'));
  }
}

/** Resolves when no panel is loading any more. */
function isLoaded(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      watch.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const check = () => {
      if (!document.querySelector(LOADING)) end();
    };
    const watch = new MutationObserver(check);
    const timer = setTimeout(end, MAX_WAIT_MS);
    watch.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-state', 'aria-busy'] });
    check();
  });
}

/** Resolves when charts have been drawn at their new width, in the colours of paper. */
async function painted(): Promise<void> {
  await document.fonts.ready;
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}
