// Measures what compression would save on the messages of an open dashboard, and what it would cost: each message on its own, which could be
// done once for all dashboards of a site, and with the messages before as context, which needs a compressor for each dashboard.
// node bench/compression.ts [seconds]
import { deflateRawSync, createDeflateRaw, constants } from 'node:zlib';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { sendArrivals } from './arrivals.ts';
import { openDashboard } from './dashboards.ts';
import { makeSite, OWNER, print, startServer } from './server.ts';

const [seconds = 10] = process.argv.slice(2).map(Number);
const RATES = [2, 20, 100, 500];
/** Every compressor of a WebSocket ends its message with a flush. */
const FLUSHED = { finishFlush: constants.Z_SYNC_FLUSH, level: 1 };

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const cookie = await signIn(server.url, OWNER);
let messages: string[] = [];
const socket = await openDashboard({ url: server.url, cookie, siteId: site.id }, (text) => messages.push(text));

for (const rate of RATES) {
  await sendArrivals({ url: server.url, domain: site.domain }, rate, 3); // fills the lists
  messages = [];
  await sendArrivals({ url: server.url, domain: site.domain }, rate, seconds);
  const taken = messages;
  const plain = taken.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const alone = timed(taken, (text) => deflateRawSync(text, FLUSHED).length);
  const stream = createDeflateRaw({ level: 1 });
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  const from = performance.now();
  for (const text of taken)
    await new Promise<void>((done) => {
      stream.write(text);
      stream.flush(constants.Z_SYNC_FLUSH, done);
    });
  const inContext = { bytes, ms: performance.now() - from };
  print({
    rate,
    messages_a_second: Math.round(taken.length / seconds),
    bytes_a_second: Math.round(plain / seconds),
    alone: { share: shareOf(alone.bytes, plain), us_a_message: micros(alone.ms, taken.length) },
    in_context: { share: shareOf(inContext.bytes, plain), us_a_message: micros(inContext.ms, taken.length) },
  });
}
socket.close();
await server.stop('SIGKILL');

function timed(texts: readonly string[], sizeOf: (text: string) => number): { bytes: number; ms: number } {
  for (const text of texts) sizeOf(text); // compiled by then
  const from = performance.now();
  const bytes = texts.reduce((sum, text) => sum + sizeOf(text), 0);
  return { bytes, ms: performance.now() - from };
}

function shareOf(bytes: number, of: number): number {
  return Number((bytes / of).toFixed(2));
}

function micros(ms: number, messages: number): number {
  return Math.round((1000 * ms) / messages);
}
