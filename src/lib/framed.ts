// A shared dashboard may be shown in a frame of another website's page.
export const isFramed = (): boolean => window.parent !== window;
