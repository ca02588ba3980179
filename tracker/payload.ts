// The body of `POST /foot`, and the details that a page may add to an event.

export type Props = Record<string, string | number>;

/** `amount` in units of `currency` (12.5 is twelve and a half), 0 or more; `currency` as ISO 4217: `EUR`. */
export type Revenue = { amount: number | string; currency: string };

export type Details = {
  /** At most 30; a key has 1 to 64 characters, a text at most 512. No personal data. */
  props?: Props | undefined;
  revenue?: Revenue | undefined;
  /** The shop's own order number, at most 64 characters. An order counts once, however often it is reported. */
  order_id?: string | number | undefined;
  /** The page that the event belongs to, as an absolute address. Default: the current page. */
  url?: string | undefined;
  /** `false`: the event does not end a bounce. Default: `true`. */
  interactive?: boolean | undefined;
};

export type Payload = Details & {
  site: string;
  name: string;
  /** Absolute, without fragment. */
  url: string;
  /**
   * Page views that the script counts by itself: the address that it counted before in this document; '' for none. If the server takes it and `url`
   * for the same page, this is a repeat.
   */
  from?: string;
  /** The page that led to this document; '' for none. */
  referrer: string;
  /** Random, and the same on every retry, so that a repeat counts once. */
  id: number;
  /** Width of the window, in CSS pixels. */
  width: number;
  /** `navigator.maxTouchPoints`: an iPad's user agent says that it is a Mac. */
  touch: number;
  /** `navigator.webdriver`: the server decides who is human. */
  webdriver: boolean;
  /** `engagement` only: milliseconds for which the page was visible since the last engagement. */
  engaged?: number;
  /** `engagement` only: how far down the page was seen since the last engagement, in per cent of its height. */
  scroll?: number;
};

/** May change the event and return nothing, or return another event. Returning `false` or throwing stops the event. */
export type Before = ((event: Payload) => Payload | false | undefined) | ((event: Payload) => void);

/** The arguments of a call to `footfall(name, details)`. */
export type Call = [name: string, details?: Details];

/** Holds calls until the page is first seen, and then passes them on. The stub creates a plain array; `foot` is set by the script. */
export type Queue = Call[] & { foot?: Queue };

export type Footfall = { (...call: Call): void; q?: Queue };

declare global {
  // missing in TypeScript's library
  interface Document {
    prerendering?: boolean;
  }
  interface Window {
    Navigation?: unknown;
    footfall?: Footfall;
  }
}
