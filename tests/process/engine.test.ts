/** @module-tag fault */
// The engine's process under load, in every way in which it can fail: each accepted event is counted once, the live view goes on, and questions wait
// or are refused in words, and then have the exact answer.
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'devalue';
import { expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import { signIn } from '../setup/accounts/sign-in.ts';
import { PASSWORD } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { openFollower } from '../setup/live/following.ts';
import { askEngine, ENDLESS, endlessOnes, engineOf, FILLING } from '../setup/processes/engine.ts';
import { compare, DOMAIN, underLoad } from '../setup/processes/load.ts';
import { makeSites } from '../setup/processes/sites.ts';
import { smallDisk } from '../setup/processes/small-disk.ts';
import { ENGINE_FAULTS, type EngineFault, showsSurvived, sized } from '../setup/run/harness.ts';
import { startServer } from '../setup/server.ts';

const run = promisify(execFile);
const LOAD = { senders: 8, people: 16_000_000, perSecond: 200 };
const ROUNDS = sized({ short: 1, long: 100 });
/** The load without a fault, with which the others are compared. */
const UNDISTURBED = sized({ short: 20, long: 4000 });
/** The long form takes more than the usual five minutes. */
const HOURS_MS = 3 * 3_600_000;
const REFUSED = '503 Footfall cannot do this at the moment: try again in a few seconds.';

type Engine = { pid: number; events: string; disk: Awaited<ReturnType<typeof smallDisk>> };

/** Does the fault to a running engine. The returned function ends a fault that the server cannot end. */
const HARM: Record<EngineFault, (engine: Engine) => unknown> = {
  'engine killed': ({ pid }) => process.kill(pid, 'SIGKILL'),
  'engine stopped': ({ pid }) => process.kill(pid, 'SIGSTOP'),
  'engine without memory': async ({ pid, events }) => {
    await run('prlimit', ['--pid', String(pid), '--as=1000000:1000000']); // it keeps what it has
    await askEngine(events, FILLING).catch(() => undefined); // it fails, or the engine ends
  },
  'engine crashing inside a question': async ({ pid, events }) => {
    const crashed = expect(askEngine(events, ENDLESS)).rejects.toThrow('socket hang up');
    await eventually(async () => expect(await endlessOnes(events)).toBe(1));
    process.kill(pid, 'SIGSEGV');
    await crashed;
  },
  'engine without its folder': async ({ pid, events }) => {
    await rename(events, `${events}.away`);
    process.kill(pid, 'SIGKILL');
    return () => rename(`${events}.away`, events);
  },
  'engine without disk space': ({ disk }) => disk?.fill(0),
  'engine without its socket': ({ events }) => rm(join(events, 'sock')),
};

/** A running server with a site whose owner looks at it, and its questions. `events` are on the disk, if there is one. */
async function openServer(folder: string, disk: Engine['disk']) {
  const events = join(folder, 'events');
  if (disk) {
    await mkdir(join(disk.path, 'events'));
    await symlink(join(disk.path, 'events'), events);
  }
  const [site] = await makeSites({ path: join(folder, DIRECTORY_FILE) }, [DOMAIN]);
  const server = await startServer({ DATA_DIR: folder });
  const headers = { cookie: await signIn(server.url, { email: `owner@${DOMAIN}`, password: PASSWORD }) };
  const live = await openLive(server.url, headers, site.id);
  let asked = 0;
  /** The page views that a tile of the dashboard shows, or why it has none. */
  const ask = async (): Promise<number | string> => {
    const other = { dimension: 'page', operator: 'is_not', values: [`/${(asked += 1)}`] }; // no cache has it
    const input = stringify({ site_id: site.id, period: 'all', filters: [other] });
    const query = encodeURIComponent(JSON.stringify(input));
    const answer = await fetch(`${server.url}/trpc/stats.summary?input=${query}`, { headers });
    const { result, error = '' } = (await answer.json()) as { result: { data: string }; error?: string };
    if (!answer.ok) return `${answer.status} ${(parse(error) as { message: string }).message}`;
    const { metrics } = parse(result.data) as Summary;
    return metrics.find(({ name }) => name === 'pageviews')?.value ?? NaN;
  };
  const counted = (least: number) =>
    eventually(async () => {
      const count = await ask();
      expect(count).toBeGreaterThanOrEqual(least);
      return count;
    });
  return { server, events, live, ask, counted };
}

/** What the live view shows of the arrivals, and how long it was silent. */
async function openLive(url: string, headers: Record<string, string>, siteId: SiteId) {
  const { browser } = await openFollower(url, { headers }, siteId);
  const heard = { messages: 0, pageviews: 0, at: performance.now(), silentMs: 0 };
  browser.on('live', () => {
    const now = performance.now();
    heard.messages += 1;
    heard.silentMs = Math.max(heard.silentMs, now - heard.at);
    heard.at = now;
  });
  browser.on('list', (_number, list, _rows, activity) => {
    if (list === 'sources')
      for (const [pageviews, _events, ...names] of activity) heard.pageviews += pageviews * names.length;
  });
  return { heard, close: () => browser.disconnect() };
}

test(
  'an engine that fails in every way is replaced, the live view goes on, and nothing is lost or counted twice',
  async () => {
    await using disk = await smallDisk(128);
    const faults = ENGINE_FAULTS.filter((fault) => disk ?? fault !== 'engine without disk space');
    for (const fault of faults) showsSurvived(fault);
    await using folder = await tempFolder();
    const { server, events, live, ask, counted } = await openServer(folder.path, disk);
    await using _server = server;
    await counted(0);
    // A higher number is a lower priority: what the engine does never keeps POST /foot waiting.
    expect(getPriority(await engineOf(events))).toBeGreaterThan(getPriority());

    const load = underLoad(() => server.url, LOAD);
    await load.more(UNDISTURBED / 4); // compiles what is run often
    load.waits.splice(0);
    await load.more(UNDISTURBED);
    const figures = openFigures(load.waits.splice(0));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const fault of faults) {
        await load.more(30 + 7 * (round % 20)); // so that each hits another moment of the writer
        const pid = await eventually(() => engineOf(events));
        load.waits.splice(0);
        live.heard.silentMs = 0;
        const before = live.heard.messages;
        const mend = await HARM[fault]({ pid, events, disk });
        let brokenAt = performance.now();
        const asked = ask(); // it waits, or says why it does not
        await load.more(40); // it is collecting meanwhile
        await eventually(() => expect(live.heard.messages).toBeGreaterThan(before + 1));
        if (typeof mend === 'function') {
          await (mend as () => unknown)();
          brokenAt = performance.now();
        }
        const answer = await asked;
        if (typeof answer === 'string') expect([fault, answer]).toEqual([fault, REFUSED]);
        await counted(0);
        const awayMs = performance.now() - brokenAt;
        figures.add(fault, { waits: load.waits.splice(0), awayMs, silentMs: live.heard.silentMs });

        await load.stop();
        expect([fault, await counted(load.accepted.size)]).toEqual([fault, load.accepted.size]);
        live.heard.at = performance.now();
        load.resume();
      }
    await load.stop();
    await eventually(() => expect(live.heard.pageviews).toBe(load.accepted.size));
    expect(load.others).toEqual({});
    live.close();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    if (process.env['HARNESS'] !== undefined) figures.print();
    expect(await compare(folder.path, load.accepted)).toEqual({ lost: [], doubled: [] });
  },
  HOURS_MS,
);

type Figures = { waits: number[]; awayMs: number; silentMs: number };

/** How long answers of `/foot` took in each fault, beside those of `undisturbed`. */
function openFigures(undisturbed: number[]) {
  const found = new Map<EngineFault, Figures[]>();
  const shareOf = (numbers: number[], share: number) =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? NaN;
  const base = shareOf(undisturbed, 0.99);
  return {
    add: (fault: EngineFault, figures: Figures) => found.set(fault, [...(found.get(fault) ?? []), figures]),
    print: () => {
      console.log(`/foot p99 without a fault ${base.toFixed(1)} ms`);
      for (const [fault, all] of found) {
        const p99 = shareOf(
          all.flatMap(({ waits }) => waits),
          0.99,
        );
        const away = all.map(({ awayMs }) => awayMs);
        console.log(
          `${fault} ${all.length} times: /foot p99 ${p99.toFixed(1)} ms, ${(p99 / base).toFixed(2)} of that without; questions after ${shareOf(away, 0.5).toFixed(0)} ms, at most ${Math.max(...away).toFixed(0)}; live view silent for at most ${Math.max(...all.map(({ silentMs }) => silentMs)).toFixed(0)} ms`,
        );
      }
    },
  };
}
