// Versions of releases, such as 1.2.0.

const RELEASED = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/** True for the version of a release: candidates such as 1.2.0-rc.1 are none. */
export const isReleased = (version: string): boolean => RELEASED.test(version);

export const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, 'en', { numeric: true }) > 0;
