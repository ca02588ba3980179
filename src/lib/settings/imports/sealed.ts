// A sealed export of another Footfall: its frames are sent as they are, since only the server can read them.
import { checkWhole, readFrames, readKeys, type Frame } from '../../../../server/vocabulary/imports/reading/sealed.ts';
import { reportOfDays } from '../../../../server/vocabulary/imports/report.ts';
import { api } from '../../api/client';
import type { Found } from './reader';

/** `keys`: in base64, from the head of the file. */
export type Sealed = { file: File; keys: string };

/** Bytes in base64. A list of arguments has a limit, so they are turned into text in pieces. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 32_768)
    text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  return btoa(text);
}

/** Throws for a file that is not complete. */
export async function openSealed(file: File): Promise<Sealed> {
  const keys = base64(await readKeys(file.name, file));
  await checkWhole(file.name, file);
  return { file, keys };
}

/** What the file holds, as the server reads it. */
export async function lookInto({ file, keys }: Sealed, site_id: string): Promise<Found> {
  for await (const { bytes } of readFrames(file.name, file)) {
    const manifest = await api.imports.openSealed.mutate({ site_id, keys, frame: base64(bytes) });
    return { ...reportOfDays(manifest.days), all_days: manifest.days.map(({ day }) => day) };
  }
  throw new Error('A file has at least one frame.');
}

type Sending = {
  site_id: string;
  id: string;
  /** The part to go on with. */
  from: number;
  /** Called when the server has a part, which ends at this byte of the file. Returns false to stop. */
  onStored(part: number, end: number): boolean;
};

/** Sends the parts, and returns the last frame, with which the import is finished. Undefined if it was stopped. */
export async function sendSealed({ file, keys }: Sealed, { site_id, id, from, onStored }: Sending) {
  const framesOf = (first: number): AsyncGenerator<Frame> => readFrames(file.name, file, first);
  for await (const frame of framesOf(from + 1)) {
    const sent = { keys, frame: base64(frame.bytes) };
    if (frame.isLast) return sent;
    const part = frame.index - 1;
    await api.imports.addSealed.mutate({ site_id, id, part, ...sent });
    if (!onStored(part, frame.end)) return undefined;
  }
  return undefined;
}
