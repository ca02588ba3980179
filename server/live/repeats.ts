// Recognises repeated page views, in the memory of one process.
import { bytesFor, createBoundedMap } from '../process/bounded-memory.ts';
import { REPEAT_MS, type Windows } from './windows.ts';

/** Size of one view with its id. */
const VIEW_BYTES = 200;

/** Keeps two generations of half a second each. Older views are forgotten, and the oldest of these too if memory is short. */
export function openRepeats(): Windows['isRepeat'] {
  const views = createBoundedMap<{ time: number; id: string | undefined }>(bytesFor('repeats'), () => VIEW_BYTES);
  let startedAt = 0;
  return ({ site_id, visitor_id, page, time, event_id: id }) => {
    if (Math.abs(time - startedAt) >= REPEAT_MS) {
      views.turn();
      startedAt = time;
    }
    const key = `${site_id} ${visitor_id} ${page}`;
    const last = views.get(key);
    if (last && Math.abs(time - last.time) < REPEAT_MS && (id === undefined || id !== last.id)) return true;
    views.set(key, { time, id });
    return false;
  };
}
