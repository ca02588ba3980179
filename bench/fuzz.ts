// Sends hostile input to a server. Counts 5xx answers, answers that leak internals, and accepted events that are neither stored nor
// dropped, and measures how long bad requests take.
// node bench/fuzz.ts [requests] [seed]
import { openStore } from '../server/store/open.ts';
import { NO_FLOOD_LIMITS } from '../tests/setup/app.ts';
import { stringify } from 'devalue';
import { domainToASCII } from 'node:url';
import {
  FUZZ_DOMAIN,
  generatedHit,
  INSIDES,
  nastyValue,
  openRandom,
  sendRaw,
  statusesOf,
} from '../tests/setup/api/hostile-input.ts';
import { isMutation, PROCEDURE_NAMES, PROCEDURES, withoutIds } from '../tests/setup/api/procedures.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { makeSite, OWNER, print, startServer, usageOf } from './server.ts';
import { CHROME } from '../tests/setup/browser/user-agent.ts';

const [requests = 20_000, seed = 1] = process.argv.slice(2).map(Number);
const CONNECTIONS = 20;
await using folder = await tempFolder();
const site = makeSite(folder.path, FUZZ_DOMAIN);
const server = await startServer(folder.path, 'build/server/main.js', { LOG_LEVEL: 'silent', ...NO_FLOOD_LIMITS });
const port = Number(new URL(server.url).port);
const before = await usageOf(server.pid);
const random = openRandom(seed);

type Answer = { status: number; text: string };
type Tally = { statuses: Record<string, number>; insides: number; badMs: number[] };

/** Calls `one` `total` times, with CONNECTIONS calls at a time. */
async function run(total: number, one: () => Promise<Answer | undefined>): Promise<Tally> {
  const tally: Tally = { statuses: {}, insides: 0, badMs: [] };
  let left = total;
  const sender = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const answer = await one();
      const status = answer?.status ?? 0; // 0: the connection was closed without an answer
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
      if (status >= 400) tally.badMs.push(performance.now() - from);
      if (answer && INSIDES.test(answer.text)) tally.insides += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  return tally;
}

function report(what: string, { statuses, insides, badMs }: Tally): void {
  const sorted = badMs.toSorted((a, b) => a - b);
  const at = (part: number) => Number((sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1));
  const broken = Object.entries(statuses).reduce((sum, [status, n]) => sum + (Number(status) >= 500 ? n : 0), 0);
  print({
    what,
    statuses,
    broken,
    insides,
    bad: sorted.length,
    bad_p50_ms: at(0.5),
    bad_p99_ms: at(0.99),
    bad_max_ms: at(1),
  });
}

async function send(path: string, init: RequestInit): Promise<Answer | undefined> {
  const answer = await fetch(`${server.url}${path}`, init).catch(() => undefined);
  return answer && { status: answer.status, text: await answer.text() };
}

let ours = 0;
const foot = await run(requests, async () => {
  const { body, headers } = generatedHit(random);
  const all = { 'content-type': 'text/plain', 'user-agent': CHROME, ...headers };
  const answer = await send('/foot', { method: 'POST', headers: all, body });
  if (answer?.status === 202 && domainToASCII((JSON.parse(body) as { site: string }).site) === FUZZ_DOMAIN) ours += 1;
  return answer;
});
report('foot', foot);

const cookie = await signIn(server.url, OWNER);
const named = withoutIds(site.id);
// Without the procedures that hash passwords: after ten calls a minute they only refuse.
const names = PROCEDURE_NAMES.filter((name) => !name.startsWith('accounts.'));
const trpc = await run(Math.ceil(requests / 4), () => {
  const name = random.pick(names);
  const input: Record<string, unknown> = { ...PROCEDURES[name]?.input(named) };
  const keys = Object.keys(input);
  if (keys.length > 0) input[random.pick(keys)] = nastyValue(random);
  if (name.startsWith('stats.')) input['filters'] = nastyValue(random);
  let text: string;
  try {
    text = JSON.stringify(stringify(input));
  } catch {
    text = JSON.stringify(input);
  }
  if (random.chance(0.2)) text = text.slice(0, random.number(text.length));
  return isMutation(name)
    ? send(`/trpc/${name}`, {
        method: 'POST',
        headers: { cookie, origin: server.url, 'content-type': 'application/json' },
        body: text,
      })
    : send(`/trpc/${name}?input=${encodeURIComponent(text.toWellFormed())}`, { headers: { cookie } });
});
report('procedures', trpc);

const HEADERS =
  `host cookie origin accept accept-encoding if-none-match range content-length transfer-encoding x-forwarded-for
  x-share-token authorization upgrade connection expect te`.split(/\s+/);
const PATHS =
  `/ /login /foot /foot.gif /foot.js /trpc/session.current /auth/get-session /v1/sites /v1/stats /docs /export/x.csv
  /socket.io/?EIO=4&transport=websocket // /%ff http://[`.split(/\s+/);
const headers = await run(Math.ceil(requests / 4), async () => {
  const lines = Array.from(
    { length: 1 + random.number(4) },
    () => `${random.pick(HEADERS)}: ${JSON.stringify(nastyValue(random)).slice(0, 9_000)}`,
  );
  const method = random.pick(['GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'CONNECT']);
  const answer = await sendRaw(
    port,
    `${method} ${random.pick(PATHS)} HTTP/1.1\r\nHost: a\r\n${lines.join('\r\n')}\r\n\r\n`,
    5,
  );
  return { status: statusesOf(answer)[0] ?? 0, text: answer };
});
report('headers', headers);

const alive = (await fetch(`${server.url}/readyz`)).status;
const after = await usageOf(server.pid);
await server.stop();
const store = await openStore({ url: undefined, path: `${folder.path}/events` });
let stored = 0;
for (const table of ['events', 'ai_visits']) {
  const [row] = await store.query<{ rows: number }>(`SELECT count() AS rows FROM ${table}`, {});
  stored += Number(row?.rows);
}
await store.close();
const { DatabaseSync } = await import('node:sqlite');
const directory = new DatabaseSync(`${folder.path}/directory.sqlite`);
const { dropped } = directory.prepare('SELECT coalesce(sum(count), 0) AS dropped FROM drops').get() as {
  dropped: number;
};
directory.close();
print({
  ready: alive,
  accepted: ours,
  stored,
  dropped,
  unaccounted: ours - stored - dropped,
  memory_mb: [Math.round(before.memoryMb), Math.round(after.memoryMb)],
});
