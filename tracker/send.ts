// Posts events, with ten attempts. Events that could not be sent wait in memory, and are sent again after 1, 2, 4, … seconds. Nothing is
// stored in the browser, so when the page is hidden, waiting events are sent immediately: it may be the last chance.
import { toggleListeners } from './listeners.ts';
import { options, snippet } from './options.ts';

const waiting: string[] = [];
/** Set while the server does not answer: nothing is sent until the timer fires. `true` once the script has given up. */
export let timer: ReturnType<typeof setTimeout> | boolean;
let failures = 0;

export const sendAgain = (): undefined => {
  timer = failures > 9;
  toggleListeners();
  void waiting.splice(0).map(post);
};

export const post = async (body: string): Promise<unknown> => {
  try {
    if (
      !timer &&
      // text/plain needs no preflight, and a keepalive request outlives the page
      (await fetch(options.endpoint || new URL('foot', snippet.src), { body, method: 'POST', keepalive: true }))
        .status < 500
    ) {
      failures = 0;
      return sendAgain();
    }
  } catch {
    // no network, or the server cannot be reached
  }
  if (!waiting[29]) waiting.push(body); // 30 at most
  // Being offline is not a failed attempt. The next success, or the next tab switch, sends again.
  if (navigator.onLine) timer ||= setTimeout(sendAgain, 500 << ++failures);
};
