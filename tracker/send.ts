// Sends events, with up to ten tries. Unsent events wait in memory and are retried after 1, 2, 4, … seconds. Nothing is stored in the
// browser, so when the page is hidden they are retried at once: it may be the last chance.
import { options, snippet } from './options.ts';

const waiting: string[] = [];
/** The retry timer: nothing else is sent until it fires. `true` once the script has given up. */
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
    )
      return (failures = 0);
  } catch {
    // no network, or the server cannot be reached
  }
  if (!waiting[29]) waiting.push(body); // 30 at most
  timer ||= ++failures > 9 || setTimeout(sendAgain, 500 * 2 ** failures);
};
