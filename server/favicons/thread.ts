// Decodes one image on a thread of its own, so that a hostile image can harm only that thread.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const MAX_MS = 3000;
const MAX_HEAP_MB = 64;

/** Resolves to undefined if the bytes are not a usable image. Never rejects. */
export async function decodeOnThread(image: Buffer): Promise<Buffer | undefined> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: Uint8Array.from(image),
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  thread.unref();
  try {
    const [png] = (await once(thread, 'message', { signal: AbortSignal.timeout(MAX_MS) })) as [Uint8Array | undefined];
    return png && Buffer.from(png);
  } catch {
    return undefined;
  } finally {
    thread.on('error', () => undefined);
    await thread.terminate();
  }
}

if (!isMainThread && parentPort) {
  const { toIcon } = await import('./picture.ts');
  let png: Uint8Array | undefined;
  try {
    png = toIcon(workerData as Uint8Array);
  } catch {
    png = undefined; // damaged, or not an image
  }
  parentPort.postMessage(png);
}
