// Posting, with ten tries: what could not be sent waits in memory, and is sent again after 1, 2, 4, … seconds. Nothing is stored in
// the browser, so what still waits when the page is hidden gets another try at once: it may be the last.
import { options, snippet } from './options.ts';

const waiting: string[] = [];
/** While the server does not answer: nothing is sent until it goes off. `true` once the script has given up. */
let timer: ReturnType<typeof setTimeout> | boolean;
let failures = 0;

export const sendAgain = (): undefined => {
  timer = failures > 9;
  void waiting.splice(0).map(post);
};

export const post = async (body: string): Promise<unknown> => {
  try {
    if (
      !timer &&
      // text needs no preflight, and keepalive outlives the page
      (await fetch(options.endpoint || new URL('foot', snippet.src), { method: 'POST', body, keepalive: true }))
        .status < 500
    ) {
      failures = 0;
      return sendAgain();
    }
  } catch {
    // no network, or not to there
  }
  if (!waiting[29]) waiting.push(body); // 30 at most
  // Offline is not a failed try. The next success, or the next tab switch, sends again.
  if (navigator.onLine) timer ||= ++failures > 9 || setTimeout(sendAgain, 500 << failures);
};
