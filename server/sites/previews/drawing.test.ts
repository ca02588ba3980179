import { expect, it } from 'vitest';
import { followMessages } from '../../vocabulary/habits/messages.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { drawPreview } from './drawing.ts';
import { widthOf } from './marks.ts';
import { openPreviews } from './previews.ts';
import { renderOnThread } from './thread.ts';

const figures = {
  domain: 'example.com',
  visitors: 1234,
  previous: 1000,
  pageviews: 5678,
  points: [1, 2, 3],
  hasCredit: true,
};

const preview = (key: string) => ({ key, format: 'png', keptMs: HOUR_MS }) as const;

it('draws the figures, and a domain cannot add elements to the picture', () => {
  const svg = drawPreview(figures);
  for (const text of ['example.com', '1,234', '23% more than in the 30 days before', '5,678', 'Counted by Footfall'])
    expect(svg).toContain(text);
  expect(drawPreview({ ...figures, previous: 2000 })).toContain('38% fewer than in the 30 days before');
  expect(drawPreview({ ...figures, previous: null, hasCredit: false })).not.toMatch(/30 days before|Footfall/);
  const hostile = drawPreview({ ...figures, domain: '</text><image href="file:///etc/passwd"/>&\'' });
  expect(hostile).not.toMatch(/<image|<\/text><\/text>|href="/);
  expect(drawPreview({ ...figures, domain: `${'long'.repeat(50)}.example` })).toMatch(/>(long){9}lon…</);
});

it('has smaller words where two would not fit beside each other', () => {
  const long = { 'page views': 'x'.repeat(20), 'unique visitors': 'y'.repeat(60) };
  followMessages(() => long);
  const size = Number(/font-size="([\d.]+)"[^>]*>y{60}</.exec(drawPreview({ ...figures, previous: null }))?.[1]);
  followMessages(() => ({}));
  expect(size).toBeGreaterThan(16);
  expect(widthOf(long['unique visitors'], size) + widthOf(long['page views'], 28)).toBeLessThanOrEqual(1000);
});

it('is a PNG of 1200 by 630 pixels, with text in the bundled font', async () => {
  const png = await renderOnThread(drawPreview(figures));
  expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 1200, 630]);
  const blank = await renderOnThread(drawPreview({ ...figures, domain: '', visitors: 0, pageviews: 0 }));
  expect(png.length).toBeGreaterThan(blank.length);
  await expect(renderOnThread('<svg')).rejects.toThrow();
});

it('is drawn at most once an hour, simultaneous requests share a drawing, and drawings run one at a time', async () => {
  let now = 0;
  const drawn: string[] = [];
  let waiting: (() => void)[] = [];
  const render = async (svg: string) => {
    drawn.push(/>([a-z]{1,9}\.example)</.exec(svg)?.[1] ?? '');
    await new Promise<void>((resolve) => waiting.push(resolve));
    return Buffer.from(svg);
  };
  const previews = openPreviews({ now: () => now, render });
  const find = (name: string) =>
    previews.find(preview(name), () => Promise.resolve(drawPreview({ ...figures, domain: `${name}.example` })));
  const release = async () => {
    while (waiting.length === 0) await new Promise(setImmediate);
    const [first] = waiting;
    waiting = waiting.slice(1);
    first?.();
  };
  const all = [find('a'), find('a'), find('b')];
  await release();
  await Promise.all(all.slice(0, 2));
  await release();
  await all[2];
  now += HOUR_MS - 1;
  await find('a');
  expect(drawn).toEqual(['a.example', 'b.example']);
  now += 1;
  const again = find('a');
  await release();
  await again;
  expect(drawn).toEqual(['a.example', 'b.example', 'a.example']);
  const many = Array.from({ length: 20 }, (_, index) => find(`x${index}`));
  await expect(find('more')).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 5 });
  for (const one of many) {
    await release();
    await one;
  }
});

it('a failed drawing is retried on the next request, and does not block others', async () => {
  let isBroken = true;
  const render = (svg: string) => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve(Buffer.from(svg)));
  const previews = openPreviews({ now: () => 0, render });
  const find = () => previews.find(preview('a'), () => Promise.resolve(drawPreview(figures)));
  await expect(find()).rejects.toThrow('no');
  isBroken = false;
  expect((await find()).bytes.length).toBeGreaterThan(0);
});
