// What is posted: the body of `POST /foot`, and what a page may say of an event.

export type Props = Record<string, string | number>;

/** `amount` in units of `currency` (12.5 is twelve and a half), 0 or more; `currency` as ISO 4217: `EUR`. */
export type Revenue = { amount: number | string; currency: string };

export type Details = {
  /** At most 30; a key has 1 to 64 characters, a text at most 512. Nothing that tells who somebody is. */
  props?: Props | undefined;
  revenue?: Revenue | undefined;
  /** The shop's own number of the order, at most 64 characters: an order counts once, however often it is reported. */
  order_id?: string | number | undefined;
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
  /** The address that was counted last in this document; '' for none. A page view of the same page is no other one. */
  from: string;
  /** Where the document was reached from; '' for nowhere. */
  referrer: string;
  /** Random, and the same on every try: a repeat counts once. */
  id: number;
  /** Of the window, in CSS pixels. */
  width: number;
  /** `navigator.maxTouchPoints`: an iPad says that it is a Macintosh. */
  touch: number;
  /** The server decides who is human. */
  webdriver: boolean;
  /** Of `engagement`: milliseconds for which the page was visible since the last one. */
  engaged?: number;
  /** Of `engagement`: how much of the page's height was on screen since the last one, in per cent. */
  scroll?: number;
};

/** May change the event and return nothing, or return another; `false` stops it, and so does throwing. */
export type Before = ((event: Payload) => Payload | false | undefined) | ((event: Payload) => void);

/** A call of `footfall(name, details)`. */
export type Call = [name: string, details?: Details];

/** Holds calls until the page is seen, and passes them on from then. A stub's is a plain array. */
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
