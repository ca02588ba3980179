// Types of the body of `POST /foot`, and of the details that a page can give for an event.

export type Props = Record<string, string | number>;

/** `amount` in units of `currency` (12.5 is twelve and a half), 0 or more; `currency` as ISO 4217: `EUR`. */
export type Revenue = { amount: number | string; currency: string };

export type Details = {
  /** At most 30, with keys of 1 to 64 characters and texts of at most 512. No personal data. */
  props?: Props | undefined;
  revenue?: Revenue | undefined;
  /** The page that the event belongs to, absolute. Default: the page that is open. */
  url?: string | undefined;
  /** `false`: the event does not end a bounce. Default: it does. */
  interactive?: boolean | undefined;
};

export type Payload = Details & {
  site: string;
  name: string;
  /** Absolute, without fragment. */
  url: string;
  /** The address counted last in this document, or ''. The server ignores a second page view of the same page. */
  from: string;
  /** The referrer of the document, or ''. */
  referrer: string;
  /** Random, and the same on every retry, so that the event counts once. */
  id: number;
  /** Width of the window in CSS pixels. */
  width: number;
  /** `navigator.maxTouchPoints`: distinguishes iPads, which claim to be Macintoshes. */
  touch: number;
  /** `navigator.webdriver`: the server decides who is a bot. */
  webdriver: boolean;
  /** For `engagement`: milliseconds of visibility since the last one. */
  engaged?: number;
  /** For `engagement`: scroll depth since the last one, in per cent of the page's height. */
  scroll?: number;
};

/** Can change the event and return nothing, or return another event. Returning `false` or throwing stops the event. */
export type Before = ((event: Payload) => Payload | false | undefined) | ((event: Payload) => void);

/** A call of `footfall(name, details)`. */
export type Call = [name: string, details?: Details];

/** Holds calls until the page is visible, and passes them on afterwards. The stub's queue is a plain array. */
export type Queue = Call[] & { foot?: 1 };

export type Footfall = { (...call: Call): void; q?: Queue };

declare global {
  // not yet in TypeScript's library
  interface Document {
    prerendering?: boolean;
  }
  interface Window {
    footfall?: Footfall;
  }
}
