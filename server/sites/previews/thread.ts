// Turns one SVG into a PNG on a thread of its own, because it takes up to a second. The thread's memory goes with it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { FONT } from './drawing.ts';
import { encodeIndexed } from './indexed-png.ts';

const MAX_MS = 20_000;
const MAX_HEAP_MB = 128;

/** Rejects if the drawing fails or takes too long. */
export async function renderOnThread(svg: string): Promise<Buffer> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: svg,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  thread.unref();
  try {
    const [png] = (await once(thread, 'message', { signal: AbortSignal.timeout(MAX_MS) })) as [Uint8Array];
    return Buffer.from(png);
  } finally {
    thread.on('error', () => undefined);
    await thread.terminate();
  }
}

async function render(svg: string): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const file = (name: string) => readFileSync(createRequire(import.meta.url).resolve(name));
  await initWasm(file('@resvg/resvg-wasm/index_bg.wasm'));
  const fontBuffers = ['400Regular/Geist_400Regular', '600SemiBold/Geist_600SemiBold'].map((name) =>
    file(`@expo-google-fonts/geist/${name}.ttf`),
  );
  const { pixels, width, height } = new Resvg(svg, { font: { fontBuffers, defaultFontFamily: FONT } }).render();
  return encodeIndexed({ pixels, width, height });
}

if (!isMainThread && parentPort) parentPort.postMessage(await render(workerData as string));
