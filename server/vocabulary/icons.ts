// Answers of `/icons/…` that are no icon. Always images, so that a browser logs no error: the widths tell the dashboard which one came.

/** Width in pixels of the answer for a host without an icon. */
export const NO_ICON_PX = 1;
/** Width in pixels of the answer while the server is still asking the host. */
export const PENDING_ICON_PX = 2;
/** The longest side of an icon: 16 pixels on a screen of double density. */
export const ICON_PX = 32;
