// Whether the view is being prepared for printing: see print-view.ts, which is loaded only then.
class Printing {
  /** While true, panels that otherwise load when they come into view load at once. */
  isPreparing = $state(false);
}

export const printing = new Printing();
