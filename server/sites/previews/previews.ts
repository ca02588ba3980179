// The pictures of share links: previews for chats and social networks, and those that other pages show. Each is drawn once for everybody.
import { createHash } from 'node:crypto';
import { createBoundedMap } from '../../process/bounded-memory.ts';
import { Refusal } from '../../errors.ts';
import type { PictureFormat } from '../../vocabulary/settings/pictures.ts';
import { renderOnThread } from './thread.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Up to 40 kB each. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Drawings that wait or run. Those of PNGs run one after another, so that they never take more than one core. */
const MAX_WAITING = 20;

/** `key`: the same for the same picture. `keptMs`: how long a drawing is good. */
type Wanted = { key: string; format: PictureFormat | 'html'; keptMs: number };
export type Drawn = { bytes: Buffer; etag: string; drawnAt: number };

export type Previews = {
  /** Returns the picture, drawn at most `keptMs` ago. `draw` returns its text; that of a PNG is SVG. Throws service_unavailable if too many wait. */
  find(wanted: Wanted, draw: () => Promise<string>): Promise<Drawn>;
};

type Options = { now(): number; render?: (svg: string) => Promise<Buffer> };

export function openPreviews({ now, render = renderOnThread }: Options): Previews {
  const kept = createBoundedMap<Drawn>(MAX_BYTES, ({ bytes }) => bytes.byteLength);
  const drawing = new Map<string, Promise<Drawn>>();
  let last: Promise<unknown> = Promise.resolve();

  /** Runs after all work before it, whatever became of that. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function make({ key, format }: Wanted, draw: () => Promise<string>): Promise<Drawn> {
    const drawnAt = now();
    const bytes = format === 'png' ? await render(await draw()) : Buffer.from(await draw());
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const drawn = { bytes, etag, drawnAt };
    kept.set(key, drawn);
    return drawn;
  }

  return {
    find: (wanted, draw) => {
      const { key, format, keptMs } = wanted;
      const found = kept.get(key);
      if (found && now() - found.drawnAt < keptMs) return Promise.resolve(found);
      const running = drawing.get(key);
      if (running) return running;
      if (drawing.size >= MAX_WAITING)
        return Promise.reject(
          new Refusal('service_unavailable', t('Too many pictures are being drawn: try again in a few seconds.'), {
            retryAfterSeconds: 5,
          }),
        );
      const work = () => make(wanted, draw);
      const drawn = (format === 'png' ? inTurn(work) : work()).finally(() => drawing.delete(key));
      drawing.set(key, drawn);
      return drawn;
    },
  };
}
