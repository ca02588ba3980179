// A steady stream of page views to a running installation. Each has an id, and is sent again, as browsers do, until it is accepted.
import { CHROME } from '../browser/user-agent.ts';

/** Sends a page view of one of 250 people, by its id; resolves with the status, or undefined when there was no answer. */
export async function sendPageview(url: string, { domain, id }: { domain: string; id: string }) {
  const person = Number(id.replace(/\D/g, '')) % 250;
  const headers = { 'content-type': 'text/plain', 'user-agent': CHROME, 'x-forwarded-for': `31.7.7.${person}` };
  const body = JSON.stringify({ site: domain, name: 'pageview', url: `https://${domain}/${id}`, id });
  const answer = await fetch(`${url}/foot`, { method: 'POST', headers, body }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.status;
}

/** How long a sender waits before it tries again: a browser waits longer. */
const AGAIN_MS = 50;
/** Every so many events, one is sent again though it was accepted, as if its answer had been lost. */
const TWICE_EVERY = 10;

type Stream = {
  /** The pages of the events that were accepted. */
  accepted: ReadonlySet<string>;
  /** Tries that were refused or not answered, each followed by another. */
  retries(): number;
  /** True once every event up to now and `more` have been accepted; to be asked again. */
  passes(more: number): () => boolean;
  /** Resolves when every event that was sent is accepted. */
  stop(): Promise<void>;
};

type Options = {
  domains: readonly string[];
  /** The address for a try: callers spread tries over all that serve. */
  urlOf(tried: number): string;
  senders: number;
};

export function openStream({ domains, urlOf, senders }: Options): Stream {
  const accepted = new Set<string>();
  const open = new Set<number>();
  let serial = 0;
  let tries = 0;
  let retries = 0;
  let isOn = true;
  const sendOnce = (number: number) =>
    sendPageview(urlOf((tries += 1)), { domain: domains[number % domains.length] ?? '', id: String(number) });
  const run = async () => {
    while (isOn) {
      const number = (serial += 1);
      open.add(number);
      while ((await sendOnce(number)) !== 202) {
        retries += 1;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      if (number % TWICE_EVERY === 0) await sendOnce(number);
      accepted.add(`/${number}`);
      open.delete(number);
    }
  };
  const running = Promise.all(Array.from({ length: senders }, run));
  return {
    accepted,
    retries: () => retries,
    passes: (more) => {
      const last = serial + more;
      return () => serial > last && [...open].every((number) => number > last);
    },
    stop: async () => {
      isOn = false;
      await running;
    },
  };
}
