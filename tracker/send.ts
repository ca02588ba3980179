// Posting, with as many tries as it takes: an event waits in memory until the server has taken or refused it. Nothing is
// stored in the browser, so what still waits when the page is hidden gets another try at once: it may be the last.
import { options, snippet } from './options.ts';
import { listen } from './safety.ts';

export const post = async (body: string, pauseMs = 1000): Promise<void> => {
  try {
    // text needs no preflight, and keepalive outlives the page
    if (
      (await fetch(options.endpoint || new URL('foot', snippet.src), { keepalive: true, body, method: 'POST' }))
        .status < 500
    )
      return;
  } catch {
    // no network, or not to there
  }
  await new Promise<unknown>((wake) => {
    listen('visibilitychange', wake);
    listen('online', wake);
    setTimeout(wake, pauseMs);
  });
  void post(body, 2 * pauseMs);
};
