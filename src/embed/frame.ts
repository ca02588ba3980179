// embed.js: sizes the pieces of shared dashboards within a page of another website, and tells them whether it is light or dark there. The page puts
// it beside its frames. It keeps nothing, and needs no more of a content security policy than `script-src` and `frame-src` of this server.
(() => {
  const { origin } = new URL((document.currentScript as HTMLScriptElement).src);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** Frames whose pieces have told their height. */
  const told = new Set<HTMLIFrameElement>();

  /** The first colour behind the frame; without any, that of the browser's canvas. */
  function themeBehind(element: Element): 'light' | 'dark' {
    for (let at: Element | null = element; at && brush; at = at.parentElement) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = getComputedStyle(at).backgroundColor;
      brush.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, opacity] = brush.getImageData(0, 0, 1, 1).data;
      if (opacity) return 2 * red + 7 * green + blue < 1280 ? 'dark' : 'light';
    }
    const scheme = getComputedStyle(element).colorScheme;
    return /dark/.test(scheme) && (dark.matches || !/light/.test(scheme)) ? 'dark' : 'light';
  }

  function tellThemes(): void {
    for (const frame of told) frame.contentWindow?.postMessage({ footfall: themeBehind(frame) }, origin);
  }

  addEventListener('message', ({ origin: from, source, data }: MessageEvent<{ footfall?: number } | null>) => {
    const height = from === origin && Number(data?.footfall);
    if (!height) return;
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source) {
        frame.style.height = `${height}px`;
        frame.style.colorScheme = 'light'; // as that of the piece: browsers fill a frame of another one
        told.add(frame);
      }
    tellThemes();
  });
  dark.addEventListener('change', tellThemes);
  const switches = new MutationObserver(() => {
    tellThemes();
    setTimeout(tellThemes, 500); // once its colours have faded
  });
  for (const element of [document.documentElement, document.body] as const)
    if (element) switches.observe(element, { attributes: true });
})();

export {};
