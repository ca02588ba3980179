// Answers of `/icons/…` without an icon. They are always images, so that browsers log no error. Their width tells the dashboard what they
// mean.

/** Width in pixels of the answer for a host without an icon. */
export const NO_ICON_PX = 1;
/** Width in pixels of the answer while the server is still asking the host. */
export const PENDING_ICON_PX = 2;
/** The longest side of an icon: 16 pixels on a high-density screen. */
export const ICON_PX = 32;
