// Decodes one image on a thread of its own, so that a hostile image can harm only that thread.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** A start has its own limit, since a busy machine is no fault of the image, which would be without an icon for a day. */
const MAX_MS = { start: 30_000, decode: 3000 };
const MAX_HEAP_MB = 64;

/** Resolves to undefined if the bytes are not a usable image. Never rejects. */
export async function decodeOnThread(image: Buffer): Promise<Buffer | undefined> {
  const thread = new Worker(new URL(import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  thread.unref();
  const answerWithin = (ms: number) => once(thread, 'message', { signal: AbortSignal.timeout(ms) });
  try {
    await answerWithin(MAX_MS.start);
    thread.postMessage(Uint8Array.from(image));
    const [png] = (await answerWithin(MAX_MS.decode)) as [Uint8Array | undefined];
    return png && Buffer.from(png);
  } catch {
    return undefined;
  } finally {
    thread.on('error', () => undefined);
    await thread.terminate();
  }
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  const { toIcon } = await import('./picture.ts');
  port.once('message', (image: Uint8Array) => {
    let png: Uint8Array | undefined;
    try {
      png = toIcon(image);
    } catch {
      png = undefined; // damaged, or not an image
    }
    port.postMessage(png);
  });
  port.postMessage('ready');
}
