// Measures the frames of the live view in Chromium while events arrive, compared with an empty page under the same load.
// node bench/live-frames.ts [events per second] [seconds a turn] [turns]
import { tempFolder } from '../tests/setup/folder.ts';
import { openOwner, sendArrivals } from './arrivals.ts';
import { framesOf } from './frames.ts';
import { makeSite, print, startServer } from './server.ts';

const [rate = 500, seconds = 15, turns = 2] = process.argv.slice(2).map(Number);

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path);
const { browser, page } = await openOwner(server.url);
await page.setViewportSize({ width: 1920, height: 1080 });
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable');

/** The page's memory and DOM nodes after a garbage collection. */
async function held(): Promise<{ heap_mb: number; nodes: number }> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const valueOf = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { heap_mb: Number((valueOf('JSHeapUsedSize') / 1e6).toFixed(1)), nodes: valueOf('Nodes') };
}

const totals = { bare: { frames: 0, long: 0 }, wall: { frames: 0, long: 0 } };
for (let turn = 1; turn <= turns; turn += 1)
  for (const name of ['bare', 'wall'] as const) {
    await page.goto(name === 'bare' ? 'about:blank' : `${server.url}/${site.domain}/live`);
    if (name === 'wall') await page.waitForSelector('[data-connection][data-state="online"]');
    // The first seconds fill the lists, which is not what is measured.
    await sendArrivals({ url: server.url, domain: site.domain }, rate, 3);
    const before = await held();
    const figures = await framesOf(page, () => sendArrivals({ url: server.url, domain: site.domain }, rate, seconds));
    totals[name].frames += figures.frames;
    totals[name].long += figures.long;
    print({
      turn,
      page: name,
      ...figures,
      per_second: Math.round(figures.frames / seconds),
      before,
      after: await held(),
    });
  }
await browser.close();
await server.stop();

const shareOf = ({ frames, long }: { frames: number; long: number }) => Number(((100 * long) / frames).toFixed(2));
print({
  rate,
  long_frames_per_cent: { bare: shareOf(totals.bare), wall: shareOf(totals.wall) },
  frames_ratio: Number((totals.wall.frames / totals.bare.frames).toFixed(3)),
});
