// The measurements of one page view, as `POST /foot` takes them in the field `vitals`.

export type Measured = {
  /** Milliseconds. */
  lcp?: number;
  inp?: number;
  fcp?: number;
  ttfb?: number;
  /** A sum of shares of the window, without a unit. */
  cls?: number;
  /** What was painted last, and what was touched when the page was slowest: a tag and its role, such as `div button`. */
  lcp_element?: string | undefined;
  inp_element?: string | undefined;
  /** `navigate`, `reload`, `back-forward`, `back-forward-cache`, `prerender` or `restore`. */
  navigation?: string;
  /** `slow-2g`, `2g`, `3g` or `4g`, where the browser tells. */
  connection?: string | undefined;
};
