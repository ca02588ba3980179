// The time zone of the reader, as the browser says it.
import { readZone } from '../../../server/vocabulary/time/zones.ts';

/** The reader's own time zone, or undefined if the server does not know it. */
export const ownZone = (): string | undefined => readZone(new Intl.DateTimeFormat().resolvedOptions().timeZone);
