/** @module-tag fault */
// Webhooks over real servers with TLS: what is queued, signed, sent, retried and given up.
import type { Kysely } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeWebhooks } from '../../server/api/pages/webhook-guide.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { readConfig } from '../../server/config.ts';
import type { Tables } from '../../server/directory/schema.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { openLog } from '../../server/process/log.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import {
  BOTH_SECRETS_MS,
  DELIVERIES_KEPT_MS,
  MAX_WEBHOOKS,
  RETRIED_MS,
  type WebhookFormat,
} from '../../server/vocabulary/settings/webhooks.ts';
import type { Message } from '../../server/messages/webhooks/messages.ts';
import { forgetDeliveries, listDeliveries, MAX_A_MINUTE } from '../../server/messages/webhooks/queue.ts';
import {
  changedWebhook,
  deleteWebhook,
  forgetSecrets,
  listWebhooks,
  newWebhook,
  resumeWebhook,
} from '../../server/messages/webhooks/stored.ts';
import { openWebhooks } from '../../server/messages/webhooks/webhooks.ts';
import { NOON } from '../setup/clock.ts';
import { elsewhere, FORMS, type TestDirectory, testDirectory } from '../setup/directory.ts';
import { openReceivers, type Received, type Receivers } from '../setup/internet/receiver.ts';

/** How long a delivery belongs to the process that tries it. */
const CLAIMED_MS = 135_000;

const BASE = { BASE_URL: 'https://stats.example' };
const REPORT: Message = {
  type: 'report',
  title: 'example.com: 12 visitors yesterday',
  lines: ['Visitors: 12 (+3)', 'Best page: /'],
  path: '/example.com?period=yesterday',
  data: { site: 'example.com', unique_visitors: 12 },
};

type Sending = { db?: Kysely<Tables>; message?: Message; siteId?: SiteId };
type Options = { attemptMs?: number; random?: number };

async function webhooksIn(directory: TestDirectory, receivers: Pick<Receivers, 'network'>, options: Options = {}) {
  const clock = { now: NOON };
  const { random = 0.5, attemptMs } = options;
  const webhooks = await openWebhooks({
    directory,
    config: readConfig(BASE),
    network: receivers.network,
    now: () => clock.now,
    random: () => random,
    log: openLog('silent'),
    ...(attemptMs !== undefined && { attemptMs }),
  });
  const { account } = await createAccount(
    directory,
    { email: `${Math.random()}@example.com`, password: 'correct horse' },
    clock.now,
  );
  const accountId = account.id;
  const add = (host = 'ok.hooks.example', format: WebhookFormat = 'standard') =>
    webhooks.create({ accountId, name: host, format, url: `https://${host}/${format}?token=secret` });
  const send = (webhookIds: string[], key: string, { db = directory.db, ...more }: Sending = {}) =>
    webhooks.send(db, { accountId, webhookIds, key, siteId: null, message: REPORT, ...more }, clock.now);
  /** The log of a webhook without ids, newest first. */
  const logOf = async (webhookId: string) => (await listDeliveries(directory, { webhookId, page: 1 })).entries;
  return { ...webhooks, clock, accountId, add, send, logOf };
}

/** What the official library makes of a message, at the time of its sending. Throws if it is not signed with the secret. */
function verified(secret: string | null, { headers, body }: Received): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(headers['webhook-timestamp']) * 1000 });
  try {
    return new Webhook(secret ?? '').verify(body, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}
afterEach(() => void vi.useRealTimers());

describe.each(FORMS)('webhooks in %s', (form) => {
  test('are at most 20 in an account, also if more are asked for at the same time', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_request, response) => response.writeHead(204).end());
    const { add, accountId } = await webhooksIn(directory, receivers);
    const added = await Promise.allSettled(Array.from({ length: MAX_WEBHOOKS + 5 }, () => add()));
    const refused = added.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused).toEqual(Array(5).fill('Error: An account has at most 20 webhooks: delete one first.'));
    expect(await listWebhooks(directory, accountId)).toHaveLength(MAX_WEBHOOKS);
  });

  test('can get another name and address, which what waits is sent to, even after 410', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers(({ headers }, response) =>
      response.writeHead(headers.host === 'old.hooks.example' ? 410 : 204).end(),
    );
    const { add, send, change, clock, deliver, logOf, accountId } = await webhooksIn(directory, receivers);
    const { id, secret } = await add('old.hooks.example');
    await send([id], 'one');
    await deliver();
    expect(await listWebhooks(directory, accountId)).toMatchObject([{ disabled_at: clock.now }]);
    expect(await change({ accountId, id, name: ' Team ' })).toBe('Team');
    expect(await listWebhooks(directory, accountId)).toMatchObject([
      { name: 'Team', host: 'old.hooks.example', disabled_at: clock.now },
    ]);
    await change({ accountId, id, name: 'Team', url: 'https://new.hooks.example/a' });
    expect(await listWebhooks(directory, accountId)).toMatchObject([{ host: 'new.hooks.example', disabled_at: null }]);
    await send([id], 'two');
    await deliver();
    expect((await logOf(id)).map(({ state }) => state).sort()).toEqual(['delivered', 'failed']);
    const last = receivers.received.at(-1) as Received;
    expect([last.headers.host, last.url]).toEqual(['new.hooks.example', '/a']);
    expect(verified(secret, last)).toMatchObject({ type: 'report' });
    for (const url of ['http://a.example/', 'https://a.example:8443/', 'https://u:p@a.example/', 'javascript:alert(1)'])
      expect(changedWebhook.safeParse({ name: 'x', url }).success).toBe(false);
    const other = { accountId: `acct_${'0'.repeat(26)}`, id, name: 'x' };
    await expect(change(other)).rejects.toThrow('There is no such webhook.');
  });

  test('keep what waits if the old address answers 410 after the webhook got another one', async () => {
    await using directory = await testDirectory(form);
    const [reached, moved] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await using receivers = await openReceivers(({ headers }, response) => {
      reached.resolve(undefined);
      if (headers.host === 'old.hooks.example') void moved.promise.then(() => response.writeHead(410).end());
      else response.writeHead(204).end();
    });
    const { add, send, change, clock, deliver, logOf, accountId } = await webhooksIn(directory, receivers);
    const { id } = await add('old.hooks.example');
    for (const key of ['one', 'two']) await send([id], key);
    const attempt = deliver();
    await reached.promise;
    await change({ accountId, id, name: 'Team', url: 'https://new.hooks.example/a' });
    moved.resolve(undefined);
    await attempt;
    expect(await listWebhooks(directory, accountId)).toMatchObject([{ disabled_at: null }]);
    clock.now += HOUR_MS;
    await deliver();
    expect((await logOf(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    const hosts = receivers.received.map(({ headers }) => headers.host).sort();
    expect(hosts).toEqual(['new.hooks.example', 'new.hooks.example', 'old.hooks.example']);
  });

  test('are sent each message once, signed as Standard Webhooks says', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_received, response) => response.writeHead(202).end('thank you'));
    const { add, send, clock, deliver, logOf } = await webhooksIn(directory, receivers);
    const { id, secret } = await add();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect([await send([id], 'one'), await send([id], 'one')]).toEqual([1, 0]);
    await deliver();
    await deliver();
    expect(receivers.received).toHaveLength(1);
    const [got] = receivers.received as [Received];
    expect(got.url).toBe('/standard?token=secret');
    expect(got.headers).toMatchObject({
      host: 'ok.hooks.example',
      'content-type': 'application/json',
      'content-length': String(got.body.length),
      'user-agent': 'Footfall (web analytics)',
      'webhook-timestamp': String(NOON / 1000),
    });
    expect(verified(secret, got)).toEqual({
      type: 'report',
      timestamp: new Date(NOON).toISOString(),
      data: REPORT.data,
    });
    expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, got)).toThrow('No matching signature');
    expect(await logOf(id)).toEqual([
      {
        id: got.headers['webhook-id'],
        type: 'report',
        title: REPORT.title,
        state: 'delivered',
        attempts: 1,
        status: 202,
        answer: 'thank you',
        created_at: NOON,
        attempted_at: NOON,
        ended_at: NOON,
        due_at: NOON + CLAIMED_MS,
      },
    ]);
    expect(clock.now).toBe(NOON);
  });

  test('queue nothing if the transaction fails, and nothing for webhooks of other accounts', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_received, response) => response.end());
    const own = await webhooksIn(directory, receivers);
    const other = await webhooksIn(directory, receivers);
    const { id } = await own.add();
    const failing = directory.db.transaction().execute(async (db) => {
      expect(await own.send([id], 'one', { db })).toBe(1);
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await other.send([id, 'wh_unknown', "wh_' or 1=1"], 'one')).toBe(0);
    expect(await own.logOf(id)).toEqual([]);
    const change = (act: typeof deleteWebhook) => (which: Parameters<typeof act>[1]) => act(directory, which);
    for (const act of [other.rotate, other.test, change(deleteWebhook), change(resumeWebhook)]) {
      const which = { accountId: other.accountId, id };
      await expect(act(which)).rejects.toMatchObject({ code: 'not_found', message: 'There is no such webhook.' });
    }
    await own.send([id], 'one');
    await own.deliver();
    const [delivery] = await own.logOf(id);
    const foreign = { accountId: other.accountId, id: delivery?.id ?? '' };
    await expect(other.replay(foreign)).rejects.toMatchObject({ code: 'not_found' });
    expect(receivers.received).toHaveLength(1);
  });

  test('are retried for 24 hours with growing pauses, under one id, and can then be sent again', async () => {
    await using directory = await testDirectory(form);
    let status = 500;
    await using receivers = await openReceivers((_received, response) => response.writeHead(status).end('broken'));
    const hooks = await webhooksIn(directory, receivers, { random: 1 });
    const { clock, deliver, logOf, accountId } = hooks;
    const { id, secret } = await hooks.add();
    await hooks.send([id], 'one');
    await deliver();
    const tries = [NOON];
    for (;;) {
      const [row] = await logOf(id);
      if (row?.state !== 'waiting') break;
      expect(row).toMatchObject({ attempts: tries.length, status: 500, answer: 'broken' });
      const pause = [1, 5, 15, 30, 60, 120][tries.length - 1] ?? 240;
      expect(row.due_at).toBe(clock.now + pause * 1.2 * MINUTE_MS);
      clock.now = row.due_at - 1;
      await deliver();
      expect(receivers.received).toHaveLength(tries.length);
      clock.now += 1;
      tries.push(clock.now);
      await deliver();
    }
    expect(receivers.received).toHaveLength(tries.length);
    expect(tries.length).toBeGreaterThan(8);
    expect(clock.now).toBeLessThan(NOON + RETRIED_MS);
    expect(clock.now).toBeGreaterThan(NOON + RETRIED_MS - 5 * HOUR_MS);
    const [given] = await logOf(id);
    expect(given).toMatchObject({ state: 'failed', ended_at: clock.now });
    status = 200;
    clock.now += DAY_MS;
    await hooks.replay({ accountId, id: given?.id ?? '' });
    expect(await logOf(id)).toMatchObject([{ state: 'delivered', attempts: tries.length + 1 }]);
    const ids = new Set(receivers.received.map(({ headers }) => headers['webhook-id']));
    expect([...ids]).toEqual([given?.id]);
    expect(new Set(receivers.received.map(({ body }) => body)).size).toBe(1);
    const last = receivers.received.at(-1);
    expect(last?.headers['webhook-timestamp']).toBe(String(Math.floor(clock.now / 1000)));
    expect(last && verified(secret, last)).toMatchObject({ timestamp: new Date(NOON).toISOString() });
  });

  test('are sent by two processes at once without sending a message twice', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_received, response) => response.end());
    const first = await webhooksIn(directory, receivers);
    const hosts = ['a.hooks.example', 'b.hooks.example', 'c.hooks.example'];
    const ids = await Promise.all(hosts.map(async (host) => (await first.add(host)).id));
    for (let n = 0; n < 8; n += 1) await first.send(ids, `message ${n}`);
    const other = elsewhere(
      directory.place,
      `const { connect } = await import('node:net');
      const { setDefaultCACertificates } = await import('node:tls');
      const { openDirectory } = await import(server + 'directory/open.ts');
      const { openWebhooks } = await import(server + 'messages/webhooks/webhooks.ts');
      setDefaultCACertificates([${JSON.stringify(receivers.certificate)}]);
      const network = { resolve: async () => ['1.1.1.1'], dial: () => connect(${receivers.port}, '127.0.0.1') };
      const directory = await openDirectory(place);
      const config = { BASE_URL: 'https://stats.example', PORT: 0 };
      const webhooks = await openWebhooks({ directory, config, network, now: () => ${NOON}, log: console });
      await webhooks.deliver();
      await directory.close();`,
    );
    await Promise.all([other, first.deliver(), first.deliver()]);
    await first.deliver(); // a process stops while the other holds the last webhook
    expect(receivers.received).toHaveLength(24);
    expect(new Set(receivers.received.map(({ headers }) => headers['webhook-id'])).size).toBe(24);
  });

  test('are sent again with the same id if a kill came between the claim and the answer', async () => {
    await using directory = await testDirectory(form);
    let answers = false;
    const reached = Promise.withResolvers<undefined>();
    await using receivers = await openReceivers((_received, response) => {
      if (answers) response.end('ok');
      reached.resolve(undefined);
    });
    const killed = await webhooksIn(directory, receivers);
    const { id } = await killed.add();
    await killed.send([id], 'one');
    const interrupted = killed.deliver();
    await reached.promise; // sent, and not yet answered
    answers = true;
    const next = await webhooksIn(directory, receivers);
    await next.deliver();
    expect(receivers.received).toHaveLength(1);
    next.clock.now += CLAIMED_MS;
    await next.deliver();
    killed.close();
    await interrupted; // what the first process finds out late changes nothing
    expect(await next.logOf(id)).toMatchObject([{ state: 'delivered', attempts: 2, answer: 'ok' }]);
    const [one, two] = receivers.received;
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  });

  test('survive a clock that jumps a week, ahead and back: each message is sent once, and none is lost', async () => {
    await using directory = await testDirectory(form);
    let status = 500;
    await using receivers = await openReceivers((_received, response) => response.writeHead(status).end());
    const { add, send, clock, deliver, logOf } = await webhooksIn(directory, receivers);
    const { id } = await add();
    await send([id], 'before');
    await deliver();
    clock.now += 7 * DAY_MS;
    await send([id], 'ahead');
    status = 200;
    await deliver();
    expect((await logOf(id)).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['delivered', 1],
      ['delivered', 2],
    ]);
    status = 500;
    await send([id], 'also ahead');
    await deliver();
    clock.now = NOON;
    status = 200;
    await deliver();
    expect(receivers.received).toHaveLength(5);
    expect((await logOf(id)).every(({ state }) => state === 'delivered')).toBe(true);
  });

  test('sign with both secrets for a day after a rotation, also what waited before it', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_received, response) => response.end());
    const { add, send, clock, deliver, rotate, accountId } = await webhooksIn(directory, receivers);
    const { id, secret: old } = await add();
    await send([id], 'one');
    const { secret, name } = await rotate({ accountId, id });
    expect([name, secret === old]).toEqual(['ok.hooks.example', false]);
    const signedBy = async (key: string) => {
      await send([id], key);
      await deliver();
      const last = receivers.received.at(-1) as Received;
      const isBy = (one: string | null) => {
        try {
          return verified(one, last) !== undefined;
        } catch {
          return false;
        }
      };
      return [isBy(old), isBy(secret), String(last.headers['webhook-signature']).split(' ').length];
    };
    expect(await signedBy('one')).toEqual([true, true, 2]);
    clock.now += BOTH_SECRETS_MS - 1;
    await forgetSecrets(directory, clock.now);
    expect(await signedBy('two')).toEqual([true, true, 2]);
    clock.now += 1;
    expect(await signedBy('three')).toEqual([false, true, 1]);
    await forgetSecrets(directory, clock.now);
    const [row] = await directory.db.selectFrom('webhooks').selectAll().execute();
    expect(row?.previous_secret).toBe(null);
    expect(await signedBy('four')).toEqual([false, true, 1]);
    for (const hidden of [old ?? '', secret, 'token=secret']) expect(JSON.stringify(row)).not.toContain(hidden);
  });

  test('send nothing more once they are deleted, and forget messages about a deleted site', async () => {
    await using directory = await testDirectory(form);
    await using receivers = await openReceivers((_received, response) => response.end());
    const { add, send, deliver, accountId, clock } = await webhooksIn(directory, receivers);
    const [{ id }, kept] = [await add(), await add('kept.hooks.example')];
    const site = await createSite(directory, { accountId, domain: 'example.com' }, clock.now);
    await send([id, kept.id], 'one', { siteId: site.id });
    await send([kept.id], 'two');
    await deleteWebhook(directory, { accountId, id });
    await deleteSite(directory, { siteId: site.id }, clock.now);
    await deliver();
    expect(receivers.received.map(({ headers }) => headers.host)).toEqual(['kept.hooks.example']);
    await directory.db.deleteFrom('accounts').where('id', '=', accountId).execute();
    expect(await directory.db.selectFrom('webhook_deliveries').select('id').execute()).toEqual([]);
  });

  test('are switched off when the receiver answers 410 Gone, until somebody switches them on again', async () => {
    await using directory = await testDirectory(form);
    let status = 410;
    await using receivers = await openReceivers((_received, response) =>
      response.writeHead(status).end('channel_is_archived'),
    );
    const { add, send, deliver, accountId, logOf, replay } = await webhooksIn(directory, receivers);
    const { id } = await add();
    for (const key of ['one', 'two']) await send([id], key);
    await deliver();
    await send([id], 'three');
    await deliver();
    expect(receivers.received).toHaveLength(1);
    const off = 'The webhook is switched off, because its receiver answered 410 Gone.';
    const log = await logOf(id);
    expect(log.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect(log.map(({ answer }) => answer).sort()).toEqual([off, off, 'channel_is_archived'].sort());
    expect(await listWebhooks(directory, accountId)).toMatchObject([{ disabled_at: NOON }]);
    const again = { accountId, id: log[0]?.id ?? '' };
    await expect(replay(again)).rejects.toMatchObject({ code: 'bad_request', message: `${off} Switch it on first.` });
    status = 200;
    await resumeWebhook(directory, { accountId, id });
    await replay(again);
    expect(receivers.received).toHaveLength(2);
  });

  test('pause as long as the receiver asks, at most an hour, and go out at most 30 times a minute', async () => {
    await using directory = await testDirectory(form);
    let asks: string | undefined = '600';
    await using receivers = await openReceivers((_received, response) => {
      if (asks === undefined) response.end();
      else response.writeHead(429, { 'retry-after': asks }).end();
    });
    const { add, send, clock, deliver, logOf } = await webhooksIn(directory, receivers);
    const { id } = await add();
    for (let n = 0; n < 35; n += 1) await send([id], `message ${n}`);
    await deliver();
    clock.now += 600_000 - 1;
    await deliver();
    expect(receivers.received).toHaveLength(1);
    asks = '999999';
    clock.now += 1;
    await deliver();
    expect(receivers.received).toHaveLength(2);
    asks = undefined;
    clock.now += HOUR_MS;
    await deliver();
    expect(receivers.received).toHaveLength(2 + MAX_A_MINUTE);
    clock.now += MINUTE_MS;
    await deliver();
    expect(receivers.received).toHaveLength(37);
    expect((await logOf(id)).every(({ state }) => state === 'delivered')).toBe(true);
  });
});

describe('a receiver', () => {
  test.each([
    ['inside.example', 'The address leads into a private network, which Footfall does not enter.'],
    ['nowhere.example', 'The host has no address: check its name.'],
    ['closed.example', 'The host accepts no connection.'],
    ['plain.example', 'The host does not speak TLS, or its certificate is not valid.'],
    ['other.example', 'The host does not speak TLS, or its certificate is not valid.'],
    ['silent.hooks.example', 'The host did not answer within 15 seconds.'],
    ['moved.hooks.example', 'Redirects to 127.0.0.1:8080: redirects are not followed, so enter the final address.'],
  ])('at %s gets nothing, and the log says: %s', async (host, says) => {
    await using directory = await testDirectory('sqlite');
    await using receivers = await openReceivers(({ headers }, response) => {
      if (headers.host === 'moved.hooks.example')
        response.writeHead(301, { location: 'http://127.0.0.1:8080/inside' }).end();
    });
    const silent = host === 'silent.hooks.example' ? { attemptMs: 400 } : {};
    const { add, send, deliver, logOf } = await webhooksIn(directory, receivers, silent);
    const { id } = await add(host);
    await send([id], 'one');
    await deliver();
    expect(await logOf(id)).toMatchObject([{ state: 'waiting', attempts: 1, answer: says }]);
    if (host !== 'silent.hooks.example')
      expect(receivers.received).toHaveLength(host === 'moved.hooks.example' ? 1 : 0);
    expect(receivers.resolved).toEqual([host]);
  });

  test('that answers without end is heard for 4 kB, and has taken the message', async () => {
    await using directory = await testDirectory('sqlite');
    const closed = Promise.withResolvers<undefined>();
    await using receivers = await openReceivers((_received, response) => {
      const more = () => {
        while (response.writable && response.write('a'.repeat(65_536)));
      };
      response.on('drain', more).on('close', () => closed.resolve(undefined));
      more();
    });
    const { add, send, deliver, logOf } = await webhooksIn(directory, receivers);
    const { id } = await add();
    await send([id], 'one');
    await deliver();
    await closed.promise;
    expect(await logOf(id)).toMatchObject([{ state: 'delivered', answer: 'a'.repeat(500) }]);
  });

  test('that hangs holds up neither other receivers nor the stop of the server', async () => {
    await using directory = await testDirectory('sqlite');
    const hangs = Promise.withResolvers<undefined>();
    await using receivers = await openReceivers(({ headers }, response) => {
      if (headers.host === 'silent.hooks.example') hangs.resolve(undefined);
      else response.end();
    });
    const { add, send, deliver, close, logOf } = await webhooksIn(directory, receivers);
    const [silent, ready] = [await add('silent.hooks.example'), await add()];
    for (let n = 0; n < 20; n += 1) await send([silent.id, ready.id], `message ${n}`);
    const delivering = deliver();
    await hangs.promise;
    await vi.waitFor(() => expect(receivers.received).toHaveLength(21), 30_000);
    close();
    await delivering;
    const interrupted = (await logOf(silent.id)).filter(({ attempts }) => attempts > 0);
    expect(interrupted).toMatchObject([{ state: 'waiting', answer: 'Footfall was stopped during this attempt.' }]);
  });
});

test('the sample of the documentation checks what is sent, and takes nothing else', async () => {
  await using directory = await testDirectory('sqlite');
  await using receivers = await openReceivers((_received, response) => response.end());
  const { add, send, deliver, rotate, accountId } = await webhooksIn(directory, receivers);
  const { id, secret } = await add();
  const { secret: renewed } = await rotate({ accountId, id });
  await send([id], 'one');
  await deliver();
  const [{ headers, body }] = receivers.received as [Received];
  const [, code = ''] = /```\n(import [^]+?)\n```/.exec(describeWebhooks()) ?? [];
  const { verify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { verify: Verify };
  const expected = { type: 'report', timestamp: new Date(NOON).toISOString(), data: REPORT.data };
  for (const one of [secret ?? '', renewed]) expect(verify(one, headers, body, NOON)).toEqual(expected);
  const wrong = `whsec_${Buffer.alloc(32).toString('base64')}`;
  expect(verify(wrong, headers, body, NOON)).toBe(undefined);
  expect(verify(renewed, headers, `${body} `, NOON)).toBe(undefined);
  expect(verify(renewed, { ...headers, 'webhook-id': 'msg_other' }, body, NOON)).toBe(undefined);
  expect(verify(renewed, {}, body, NOON)).toBe(undefined);
  for (const late of [-301_000, 301_000]) expect(verify(renewed, headers, body, NOON + late)).toBe(undefined);
});

type Verify = (secret: string, headers: Received['headers'], body: string, now: number) => unknown;

test('a webhook has a name without control characters, and an https address on port 443', async () => {
  await using directory = await testDirectory('sqlite');
  await using receivers = await openReceivers((_received, response) => response.end());
  const { create, accountId } = await webhooksIn(directory, receivers);
  const fine = { accountId, name: ' Team ', format: 'slack' as const, url: 'https://ok.hooks.example/' };
  expect(await create(fine)).toMatchObject({ name: 'Team', secret: null });
  for (const name of ['', ' ', 'a\0b', 'a\nb'])
    await expect(create({ ...fine, name })).rejects.toMatchObject({ code: 'bad_request' });
  const urls = [
    'http://a.example/',
    'https://ada:pw@a.example/',
    'https://a.example:8443/',
    'file:///etc/passwd',
    'a.example',
    '',
  ];
  for (const url of [...urls, `https://a.example/${'a'.repeat(2048)}`])
    expect([url, newWebhook.safeParse({ ...fine, url }).success]).toEqual([url, false]);
  expect(newWebhook.parse({ ...fine, url: ' https://a.example:443/b ' }).url).toBe('https://a.example:443/b');
});

describe('limits', () => {
  test('of an account: 20 webhooks, and 1,000 waiting deliveries', async () => {
    await using directory = await testDirectory('sqlite');
    await using receivers = await openReceivers((_received, response) => response.end());
    const { add, send, accountId, clock } = await webhooksIn(directory, receivers);
    const made = await Promise.allSettled(Array.from({ length: 22 }, () => add()));
    expect(made.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    const ids = (await listWebhooks(directory, accountId)).map(({ id }) => id);
    expect(ids).toHaveLength(20);
    await expect(add()).rejects.toThrow('An account has at most 20 webhooks: delete one first.');
    for (let n = 0; n < 51; n += 1) await send(ids, `message ${n}`);
    const states = directory.db
      .selectFrom('webhook_deliveries')
      .select(['state', 'answer', ({ fn }) => fn.countAll().as('count')]);
    expect(await states.groupBy(['state', 'answer']).orderBy('state').execute()).toEqual([
      { state: 'failed', answer: 'Not sent: 1000 deliveries of this account were waiting.', count: 20 },
      { state: 'waiting', answer: null, count: 1000 },
    ]);
    await forgetDeliveries(directory, clock.now + DELIVERIES_KEPT_MS);
    const left = await directory.db.selectFrom('webhook_deliveries').select('state').distinct().execute();
    expect(left).toEqual([{ state: 'waiting' }]);
  });
});
