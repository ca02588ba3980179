// While much waits, the events of busy sites are held back, so that they hold up no other site. While any event of a site is held back, its new
// ones are, too: within a site, no event overtakes another.

/** A site that has more than this share of a batch is busy. */
export const BUSY_SHARE = 1 / 4;

/** An entry is JSON that begins with its kind and its ids: what comes later, from outside, is not searched. */
export const siteOfEntry = (entry: string): string => /"site_id":"([^"]*)"/.exec(entry)?.[1] ?? '';
