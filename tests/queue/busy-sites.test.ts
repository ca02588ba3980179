/** @module-tag fault */
// A busy site: its backlog holds up no other site of its partition in Redis, or of the queue in SQLite, and each site's events still arrive in
// order, once.
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import type { Recorded, SiteId } from '../../server/vocabulary/event.ts';
import { openLog } from '../../server/process/log.ts';
import { PARTITIONS, partitionOf } from '../../server/process/redis/partitions.ts';
import { namesOf } from '../../server/queue/redis/layouts.ts';
import type { Batch, Partition } from '../../server/queue/queue.ts';
import { openRedisQueue } from '../../server/queue/redis/queue.ts';
import type { Redis } from '../../server/process/redis/redis.ts';
import { NOON } from '../setup/clock.ts';
import { hexId, sampleEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type Form, idsOf, numbers, redisForm, sitesOf, sqliteForm } from '../setup/stores/queue.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';

const log = openLog('silent');
const SITES = sitesOf(partitionOf(SITE), 8);
const [BUSY, OTHER, ...FURTHER] = SITES as [SiteId, SiteId, ...SiteId[]];

const { server, redis } = await redisOfFile();

/** The names of the keys of the form's partition. */
function namesIn(form: Form) {
  const names = namesOf(form.childArgs[2] ?? '', PARTITIONS)[partitionOf(SITE)];
  if (!names) throw new Error('no such partition');
  return names;
}
/** The hash has one field that is no site. */
const isHolding = async (form: Form) => Number(await redis.send('queue', ['HLEN', namesIn(form).held])) > 1;

const of = (site_id: SiteId, from: number, count: number) =>
  numbers(from, count).map((number) => sampleEvent(number, { site_id }));

/** Some events of each other site in turn. */
const othersInTurn = ({ rounds, each }: { rounds: number; each: number }) =>
  numbers(0, rounds).flatMap((round) =>
    SITES.slice(1).flatMap((site, index) => of(site, 10_000 + 100 * round + 10 * index, each)),
  );

/** Appends events in parts, as they arrive. */
async function send(queue: Pick<Awaited<ReturnType<Form['open']>>, 'append'>, events: Recorded[]): Promise<void> {
  for (let from = 0; from < events.length; from += 100) await queue.append(events.slice(from, from + 100), NOON);
}

/** Reads and acknowledges until nothing waits. */
async function readAll(partition: Partition, limit: number): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (let batch = await partition.read(limit); batch; batch = await partition.read(limit)) {
    batches.push(batch);
    await partition.acknowledge(batch);
  }
  return batches;
}

const ofSite = (entries: Recorded[], site: SiteId) => idsOf(entries.filter(({ site_id }) => site_id === site));
const entriesOf = (batches: Batch[]) => batches.flatMap(({ entries }) => entries);
const sorted = (entries: Recorded[]) => idsOf(entries).sort();

/** `behind`: in SQLite, from how many waiting entries on. */
const FORMS: Record<string, (behind?: number) => Promise<Form>> = {
  Redis: () => Promise.resolve(redisForm(server, redis)),
  SQLite: (behind = 100) => sqliteForm({ behind }),
};

describe.each(Object.keys(FORMS))('a busy site in %s', (name) => {
  const newForm = FORMS[name] as (behind?: number) => Promise<Form>;
  const backlog = () => [...of(BUSY, 0, 5_000), ...of(OTHER, 6_000, 5), ...of(BUSY, 7_000, 1_000)];

  test('holds up no other site: the first batch has all events of the others', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const others = [OTHER, ...FURTHER].flatMap((site, index) => of(site, 6_000 + 100 * index, 5));
    await send(queue, [...of(BUSY, 0, 5_000), ...others, ...of(BUSY, 7_000, 1_000)]);
    const batches = await readAll(queue, 1_000);
    expect((batches[0]?.entries ?? []).filter(({ site_id }) => site_id !== BUSY)).toEqual(others);
    expect(ofSite(entriesOf(batches), BUSY)).toEqual([...numbers(0, 5_000), ...numbers(7_000, 1_000)].map(hexId));
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('is not what a site with some events in a row is: they pass the backlog, too', async () => {
    await using form = await newForm(4_000);
    const queue = await form.open();
    const quiet = [OTHER, ...FURTHER.slice(0, 2)].flatMap((site, index) => of(site, 40_000 + 100 * index, 30));
    await send(queue, [...of(BUSY, 0, 20_000), ...quiet]);
    const batches = await readAll(queue, 1_000);
    const last = batches.findLastIndex(({ entries }) => entries.some(({ site_id }) => site_id !== BUSY));
    // In SQLite, those batches come first that waited before the site was busy.
    expect(last).toBe(name === 'Redis' ? 0 : 4);
    expect(entriesOf(batches).filter(({ site_id }) => site_id !== BUSY)).toEqual(quiet);
  });

  test('counts as waiting and is in a backup, also what is held back, each site in order', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await send(queue, backlog());
    const first = await queue.read(1_000);
    const expected = { waiting: 6_005, oldestAt: backlog()[0]?.time, buried: 0 };
    expect(await queue.status()).toEqual(expected);
    const waiting: Recorded[] = [];
    for await (const some of queue.contents()) waiting.push(...some.waiting);
    expect(sorted(waiting)).toEqual(sorted(backlog()));
    for (const site of [BUSY, OTHER]) expect(ofSite(waiting, site)).toEqual(ofSite(backlog(), site));
    await queue.acknowledge(first as Batch);
    expect((await queue.status()).waiting).toBe(6_005 - (first?.entries.length ?? 0));
    expect(await queue.waiting()).toBe(6_005 - (first?.entries.length ?? 0));
  });

  test('is recognised by its own id, whatever its events say', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const lie = `","site_id":"${OTHER}`;
    const hostile = of(BUSY, 0, 3_000).map((event) => ({
      ...event,
      name: lie,
      page: lie,
      props: { site_id: OTHER, lie },
    }));
    await send(queue, [...hostile, ...of(OTHER, 4_000, 5)]);
    const batches = await readAll(queue, 1_000);
    expect(ofSite(batches[0]?.entries ?? [], OTHER)).toEqual(numbers(4_000, 5).map(hexId));
    expect(entriesOf(batches)).toHaveLength(3_005);
  });

  test('is delivered again as the same batch, after every batch, also by a process that reads anew', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await send(queue, backlog());
    const all: Recorded[] = [];
    for (let batch = await queue.read(1_000); batch; batch = await queue.read(1_000)) {
      queue = await form.open();
      for (const again of [await queue.read(10), await queue.read(1_000)]) {
        expect(again?.token).toBe(batch.token);
        expect(sorted(again?.entries ?? [])).toEqual(sorted(batch.entries));
      }
      await queue.acknowledge(batch);
      all.push(...batch.entries);
      queue = await form.open();
    }
    expect(ofSite(all, BUSY)).toEqual(ofSite(backlog(), BUSY));
    expect(all).toHaveLength(6_005);
  });

  test('arrives in order, as each site does, once, in batches with tokens of their own, whatever is appended and read when', async () => {
    const random = openRandom(13);
    for (let round = 0; round < 12; round += 1) {
      await using form = await newForm();
      let queue = await form.open();
      const sent = new Map<SiteId, string[]>();
      const got = new Map<string, Recorded[]>();
      let next = 0;
      const append = async () => {
        const site = random.pick(SITES);
        const events = of(site, next, 1 + random.number(150));
        next += events.length;
        await send(queue, events);
        sent.set(site, [...(sent.get(site) ?? []), ...idsOf(events)]);
      };
      const take = async (limit: number, isLost: boolean) => {
        const batch = await queue.read(limit);
        if (!batch) return false;
        const before = got.get(batch.token);
        if (before) expect(sorted(batch.entries)).toEqual(sorted(before));
        else got.set(batch.token, batch.entries);
        if (isLost) queue = await form.open();
        else await queue.acknowledge(batch);
        return true;
      };
      for (let step = 0; step < 40; step += 1)
        await (random.chance(0.5) ? append() : take(random.pick([20, 20, 1 + random.number(60)]), random.chance(0.15)));
      while (await take(20, false));
      const all = [...got.values()].flat();
      expect(all).toHaveLength(next);
      for (const [site, ids] of sent) expect(ofSite(all, site)).toEqual(ids);
    }
  });
});

describe('a busy site in Redis alone', () => {
  test('gets half of each batch as long as others have more to store', async () => {
    await using form = redisForm(server, redis);
    const queue = await form.open();
    await send(queue, of(BUSY, 0, 2_000));
    await send(queue, othersInTurn({ rounds: 10, each: 10 }));
    const batches = await readAll(queue, 400);
    // It is busy from a quarter of a batch on. The others' 700 end in the third.
    const shares = batches.map(({ entries }) => ofSite(entries, BUSY).length);
    expect(shares).toEqual([100, 200, 200, 400, 400, 400, 300]);
    expect(batches.map(({ entries }) => entries.length)).toEqual([400, 400, 400, 400, 400, 400, 300]);
    expect(await isHolding(form)).toBe(false);
  });

  test('is not held back while at most two batches wait', async () => {
    await using form = redisForm(server, redis);
    const queue = await form.open();
    await send(queue, [...of(BUSY, 0, 1_999), ...of(OTHER, 2_000, 1)]);
    expect(idsOf((await queue.read(1_000))?.entries ?? [])).toEqual(numbers(0, 1_000).map(hexId));
    expect(await isHolding(form)).toBe(false);
  });

  test('is neither lost nor doubled when any call to Redis fails, before or after it was carried out', async () => {
    const events = [...of(BUSY, 0, 1_500), ...of(OTHER, 3_000, 40), ...of(BUSY, 4_000, 300)];
    /** Reads everything, while the call of this number fails. Returns the number of calls. */
    const read = async (failing: number, isCarriedOut: boolean) => {
      let calls = 0;
      const flaky: Redis = {
        ...redis,
        run: async (...call) => {
          const fails = (calls += 1) === failing;
          if (fails && !isCarriedOut) throw new Unavailable('queue', new Error('refused'));
          const reply = await redis.run(...call);
          if (fails) throw new Unavailable('queue', new Error('lost'));
          return reply;
        },
      };
      await using form = redisForm(server, flaky);
      const queue = await form.open();
      await send(queue, events);
      const appends = calls;
      const batches = new Map<string, Batch>();
      for (let isOver = false; !isOver;)
        try {
          const batch = await queue.read(500);
          if (batch) {
            batches.set(batch.token, batch);
            await queue.acknowledge(batch);
          } else isOver = true;
        } catch (error) {
          expect(error).toBeInstanceOf(Unavailable);
        }
      const all = entriesOf([...batches.values()]);
      expect(ofSite(all, BUSY)).toEqual(ofSite(events, BUSY));
      expect(ofSite(all, OTHER)).toEqual(ofSite(events, OTHER));
      expect(await isHolding(form)).toBe(false);
      return { appends, calls };
    };
    const { appends, calls } = await read(0, false);
    expect(calls - appends).toBeGreaterThan(20);
    for (const isCarriedOut of [false, true])
      for (let failing = appends + 1; failing <= calls; failing += 1) await read(failing, isCarriedOut);
  });

  test('is neither lost nor doubled when a call is given up and reaches Redis later', async () => {
    const others = [0, 10_000].flatMap((from) =>
      SITES.slice(1).flatMap((site, index) => of(site, from + 20_000 + 100 * index, 60)),
    );
    const events = [...of(BUSY, 0, 3_000), ...others];
    /** Reads everything, while the call of this number arrives some calls later. Returns the number of calls. */
    const read = async (late: number, delay: number) => {
      let calls = 0;
      let arrive: (() => Promise<unknown>) | undefined;
      const slow: Redis = {
        ...redis,
        run: async (...call) => {
          calls += 1;
          if (calls === late) {
            arrive = () => redis.run(...call);
            throw new Unavailable('queue', new Error('no answer'));
          }
          if (calls > late + delay) {
            await arrive?.();
            arrive = undefined;
          }
          return redis.run(...call);
        },
      };
      await using form = redisForm(server, slow);
      const queue = await form.open();
      calls = -Infinity;
      await send(queue, events);
      calls = 0;
      const stored = new Map<string, Recorded[]>();
      for (let isOver = false; !isOver;)
        try {
          const batch = await queue.read(1_000);
          if (batch) {
            if (!stored.has(batch.token)) stored.set(batch.token, batch.entries);
            await queue.acknowledge(batch);
          } else isOver = true;
        } catch (error) {
          expect(error).toBeInstanceOf(Unavailable);
        }
      await arrive?.();
      expect(sorted([...stored.values()].flat()), `call ${late}, ${delay} calls later`).toEqual(sorted(events));
      expect(await queue.waiting()).toBe(0);
      return calls;
    };
    const calls = await read(0, 0);
    expect(calls).toBeGreaterThan(20);
    for (const delay of [1, 6]) for (let late = 1; late <= calls; late += 1) await read(late, delay);
  });

  test('holds up nobody with long events, either', async () => {
    await using form = redisForm(server, redis);
    const queue = await form.open();
    const page = `/${'a'.repeat(20_000)}`;
    await send(
      queue,
      of(BUSY, 0, 2_500).map((event) => ({ ...event, page })),
    );
    const seen: string[] = [];
    for (let batch = await queue.read(1_000), round = 0; batch; batch = await queue.read(1_000), round += 1) {
      if (round === 0) await send(queue, of(OTHER, 4_000, 5));
      if (round === 1) seen.push(...ofSite(batch.entries, OTHER));
      await queue.acknowledge(batch);
    }
    expect(seen).toEqual(numbers(4_000, 5).map(hexId));
  });

  test('is read by nobody but the holder of the lease, also when it is lost in between', async () => {
    await using form = redisForm(server, redis);
    await send(await form.open(), [...of(BUSY, 0, 3_000), ...of(OTHER, 4_000, 5)]);
    const [prefix, { lease }] = [form.childArgs[2] ?? '', namesIn(form)];
    let left = 3;
    const losing: Redis = {
      ...redis,
      run: async (...call) => {
        if (left-- === 0) await redis.send('queue', ['SET', lease, 'other']);
        return redis.run(...call);
      },
    };
    const loser = (await openRedisQueue({ redis: losing, log, prefix, leaseToken: 'own' })).of(BUSY);
    await redis.send('queue', ['SET', lease, 'own']);
    await expect(loser.read(1_000)).rejects.toThrow(Unavailable);
    expect(await loser.read(1_000)).toBe(undefined);
    const winner = (await openRedisQueue({ redis, log, prefix, leaseToken: 'other' })).of(BUSY);
    expect(ofSite(entriesOf(await readAll(winner, 1_000)), BUSY)).toEqual(numbers(0, 3_000).map(hexId));
  });

  test('does not stop the others when its events are deleted from outside, nor when the queue is emptied', async () => {
    await using form = redisForm(server, redis);
    const queue = await form.open();
    const { stream } = namesIn(form);
    await send(queue, [...of(BUSY, 0, 3_000), ...of(OTHER, 4_000, 5)]);
    await queue.acknowledge((await queue.read(1_000)) as Batch);
    await redis.send('queue', ['XTRIM', stream, 'MAXLEN', '500']);
    expect(entriesOf(await readAll(queue, 1_000))).toHaveLength(500);
    expect(await isHolding(form)).toBe(false);
    await send(queue, of(BUSY, 5_000, 3_000));
    await queue.acknowledge((await queue.read(1_000)) as Batch);
    await redis.send('queue', ['DEL', namesIn(form).held]);
    expect(entriesOf(await readAll(queue, 1_000))).toHaveLength(2_000);
    await send(queue, of(BUSY, 10_000, 3_000));
    await queue.read(1_000);
    await redis.send('queue', ['DEL', stream]);
    expect(await queue.read(1_000)).toBe(undefined);
    await send(queue, of(BUSY, 9_000, 10));
    expect(ofSite(entriesOf(await readAll(queue, 1_000)), BUSY)).toEqual(numbers(9_000, 10).map(hexId));
  });
});

describe('a busy site in SQLite alone', () => {
  test('takes turns with the others, batch by batch', async () => {
    await using form = await sqliteForm({ behind: 100 });
    const queue = await form.open();
    await send(queue, of(BUSY, 0, 500));
    await send(queue, othersInTurn({ rounds: 20, each: 5 }));
    const batches = await readAll(queue, 150);
    // 106 of its events had arrived before it was busy. They come first, since no event overtakes another of its site.
    const shares = batches.map(({ entries }) => ofSite(entries, BUSY).length);
    expect(shares).toEqual([106, 150, 0, 150, 0, 94, 0, 0, 0]);
    expect(batches.map(({ entries }) => entries.length)).toEqual([150, 150, 150, 150, 150, 94, 150, 150, 56]);
  });

  test('is read although other sites become busy again and again', async () => {
    await using form = await sqliteForm({ behind: 100 });
    const queue = await form.open();
    await send(queue, of(BUSY, 0, 500));
    let rounds = 0;
    const more = sitesOf(partitionOf(SITE), 40).slice(8);
    for (const [index, site] of more.entries()) {
      const quiet = SITES.slice(1).flatMap((one, place) => of(one, 20_000 + 1_000 * index + 10 * place, 5));
      await send(queue, [
        ...quiet,
        ...quiet.map((event, place) => ({ ...event, event_id: hexId(90_000 + 100 * index + place) as never })),
      ]);
      await send(queue, of(site, 60_000 + 100 * index, 20));
      const batch = (await queue.read(50)) as Batch;
      if (ofSite(batch.entries, BUSY).length === 50) rounds += 1;
      await queue.acknowledge(batch);
    }
    expect(rounds).toBeGreaterThan(6);
  });

  test('is in a backup as it was at one moment, whatever is appended meanwhile', async () => {
    await using form = await sqliteForm({ behind: 100 });
    const queue = await form.open();
    await send(queue, [...of(BUSY, 0, 500), ...of(OTHER, 1_000, 5)]);
    const parts: Recorded[] = [];
    for await (const { waiting } of queue.contents()) {
      parts.push(...waiting);
      await send(queue, [...of(BUSY, 2_000 + parts.length, 3), ...of(OTHER, 3_000 + parts.length, 3)]);
    }
    expect(sorted(parts)).toEqual(sorted([...of(BUSY, 0, 500), ...of(OTHER, 1_000, 5)]));
  });

  test('is not held back while less waits than is stored in half a second', async () => {
    await using form = await sqliteForm();
    const queue = await form.open();
    const events = [...of(BUSY, 0, 39_900), ...of(OTHER, 40_000, 100)];
    for (let from = 0; from < 40_000; from += 1_000) await queue.append(events.slice(from, from + 1_000), NOON);
    const batches = await readAll(queue, 10_000);
    expect(idsOf(entriesOf(batches))).toEqual(idsOf(events));
    expect(batches).toHaveLength(4);
  });
});
