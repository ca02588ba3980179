// The pictures that chats and social networks show for a share link. They contain the site's totals, as the link shows them to everybody.
import { createBoundedMap } from '../../process/bounded-memory.ts';
import { Refusal } from '../../errors.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { drawPreview, type Figures } from './drawing.ts';
import { renderOnThread } from './thread.ts';

/** About 40 kB each. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Drawings that wait or run. They run one after another, so that they never take more than one core. */
const MAX_WAITING = 20;

export type Previews = {
  /** Returns the PNG, drawn at most an hour ago. Throws service_unavailable if too many wait. */
  find(key: string, ask: () => Promise<Figures>): Promise<Buffer>;
};

type Options = { now(): number; render?: (svg: string) => Promise<Buffer> };

export function openPreviews({ now, render = renderOnThread }: Options): Previews {
  const kept = createBoundedMap<{ png: Buffer; drawnAt: number }>(MAX_BYTES, ({ png }) => png.byteLength);
  const drawing = new Map<string, Promise<Buffer>>();
  let last: Promise<unknown> = Promise.resolve();

  async function draw(key: string, ask: () => Promise<Figures>): Promise<Buffer> {
    const drawnAt = now();
    const png = await render(drawPreview(await ask()));
    kept.set(key, { png, drawnAt });
    return png;
  }

  return {
    find: (key, ask) => {
      const found = kept.get(key);
      if (found && now() - found.drawnAt < HOUR_MS) return Promise.resolve(found.png);
      const running = drawing.get(key);
      if (running) return running;
      if (drawing.size >= MAX_WAITING)
        return Promise.reject(
          new Refusal('service_unavailable', 'Too many pictures are being drawn: try again in a few seconds.', {
            retryAfterSeconds: 5,
          }),
        );
      const work = last.then(() => draw(key, ask));
      const drawn = work.finally(() => drawing.delete(key));
      last = work.catch(() => undefined);
      drawing.set(key, drawn);
      return drawn;
    },
  };
}
