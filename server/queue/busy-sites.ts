// What makes a site busy. While much waits, the events of busy sites are held back, so that they hold up no other site. Until none of a site's
// events is held back any more, its new ones are held back, too: within a site, no event overtakes another.

/** Events are compared in parts of this size. A site with more than `BUSY_FROM` events in one part is busy. */
export const PART = 100;
export const BUSY_FROM = 25;
