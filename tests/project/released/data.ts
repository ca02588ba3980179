// The data folder of a release, with accounts, stored and waiting events, and what people have set up, and its numbers, both as files beside this one.
// node tests/project/released/data.ts VERSION: writes those of this version.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SiteNumbers } from '../../../server/api/rest/site-numbers.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { runOperation } from '../../../server/operator/operations.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../../setup/app.ts';
import { NOON } from '../../setup/clock.ts';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { tempFolder } from '../../setup/folder.ts';

const DOMAIN = 'released.example';
/** The day after the events: theirs is closed, and summed. */
export const LATER = NOON + DAY_MS;

/** What a release counts of its own folder, once nothing waits. */
export async function numbersOf(app: TestApp): Promise<unknown> {
  await app.settle();
  const run = { now: LATER, onProgress: () => undefined, signal: new AbortController().signal };
  const asked = { domain: DOMAIN, period: '7d' };
  const { stats, timeseries, breakdowns } = (await runOperation('stats', app.app, asked, run)) as SiteNumbers;
  return JSON.parse(JSON.stringify({ stats, timeseries, breakdowns }));
}

async function fill(app: TestApp): Promise<void> {
  const site = await app.addSite(DOMAIN);
  const definition = { kind: 'page', page: '/pricing' } as const;
  await goals.create(app.app.services.directory, { siteId: site.id, name: 'Read the prices', definition }, NOON);
  const events = Array.from({ length: 60 }, (_, index) =>
    makeEvent({
      site_id: site.id,
      visitor: `visitor ${index % 20}`,
      time: NOON - DAY_MS * (index % 3) + MINUTE_MS * index,
      page: ['/', '/pricing', '/about'][index % 3] ?? '',
      source: ['Google', '', 'newsletter'][index % 3] ?? '',
    }),
  );
  await app.app.collector.record([...events, makeAiVisit({ site_id: site.id, time: NOON })], NOON);
  await app.settle();
  await app.app.collector.record([makeEvent({ site_id: site.id, visitor: 'waits', time: NOON, page: '/waits' })], NOON);
}

if (process.argv[1] === import.meta.filename) {
  const version = process.argv[2] ?? '';
  const here = (name: string) => join(import.meta.dirname, `${version}.${name}`);
  await using folder = await tempFolder();
  {
    await using app = await testApp({ folder: folder.path, now: NOON });
    await fill(app);
    // While it runs: at its end it would store what waits.
    const names = readdirSync(folder.path).filter((name) => /\.sqlite|^events$/.test(name));
    execFileSync('tar', ['--create', '--gzip', '--file', here('data.tgz'), '--directory', folder.path, ...names]);
  }
  await using app = await testApp({ folder: folder.path, now: LATER });
  writeFileSync(here('numbers.json'), `${JSON.stringify(await numbersOf(app))}\n`);
}
