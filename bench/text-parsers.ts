// Measures how long the parsers of hostile text take for 64 kB: `node bench/text-parsers.ts`. Prints each parser's slowest text (the best
// of ten runs), and as a baseline a copy of the same text with an ordinary pattern.
import { MAX_LINE_BYTES } from '../server/vocabulary/imports/logs/line.ts';
import { openLogReader } from '../server/vocabulary/imports/logs/reader.ts';
import { recogniseAi } from '../server/collect/agents/ai.ts';
import { botReason } from '../server/collect/agents/bots.ts';
import { readCampaign } from '../server/collect/sources/campaign.ts';
import { parseClient } from '../server/collect/agents/device.ts';
import { parseAddress } from '../server/collect/places/geo.ts';
import { readLanguage } from '../server/collect/agents/language.ts';
import { readReferrer, sourceOfName } from '../server/collect/sources/referrer.ts';
import { isReferrerSpam } from '../server/collect/sources/spam.ts';
import { parsePage } from '../server/vocabulary/texts/url.ts';
import { cleanText } from '../server/vocabulary/texts/spelling.ts';
import { print } from './server.ts';

const SIZE = 65_536;
const SEEDS =
  'a| |/|(|)|;|.|-|_|0|%|%e2%80|\u0301|\u{1F600}|\ud800|\n|,;q=0.|::|1.|a.|com.a|bot/|Android|Mozilla/5.0 (Linux; Android 10; |Version/4.0 Chrome/1|(iPhone; OS 18_7|UCWEB|Silk/|MIDP-2|S60|TV|box|LED1|News|Google|Opera News|ABScanner|gpt-|claude-|Darwin/1 (|"x";v="1", |https://|http://a.|utm_source=a&|google.com.|?ref=|www.|Quest |Windows NT |tv '.split(
    '|',
  );
const texts = SEEDS.flatMap((seed) => {
  const text = seed.repeat(Math.ceil(SIZE / seed.length)).slice(0, SIZE);
  return [text, `Mozilla/5.0 (${text}`, `https://example.com/${text}`];
});

const readLine = openLogReader();
let unseen = 0;
/** Returns a different text on each call, so that no cache answers. */
const fresh = (text: string) => `${++unseen}${text}`;

const READERS: Record<string, (text: string) => unknown> = {
  'a copy, upper case (baseline)': (text) => text.replace(/[a-z]+/g, (word) => word.toUpperCase()),
  parsePage: (text) => parsePage(text),
  'readCampaign, of 2,048 characters': (text) => readCampaign(new URLSearchParams(text.slice(0, 2_048))),
  parseClient: (text) => parseClient(fresh(text), { brands: text, platform: text, platformVersion: text, model: text }),
  botReason: (text) =>
    botReason({ userAgent: fresh(text), headers: { purpose: text, 'sec-ch-ua': text }, webdriver: false }),
  recogniseAi: (text) => recogniseAi({ userAgent: fresh(text), signatureAgent: text }),
  readReferrer: (text) => readReferrer(text, () => false),
  sourceOfName: (text) => sourceOfName(text),
  readLanguage: (text) => readLanguage(fresh(text)),
  isReferrerSpam: (text) => isReferrerSpam(text),
  parseAddress: (text) => parseAddress(text),
  cleanText: (text) => cleanText(text, 255),
  'readLine, of a log': (text) =>
    readLine(`1.1.1.1 - - [10/Oct/2025:13:55:36 -0700] "GET /${text.slice(0, MAX_LINE_BYTES)}`),
  'readLine, of any format': (text) => readLine(text.slice(0, MAX_LINE_BYTES)),
  'readLine, of Nginx Proxy Manager': (text) =>
    readLine(`[10/Oct/2025:13:55:36 -0700] ${text.slice(0, MAX_LINE_BYTES)}`),
  'readLine, of a load balancer': (text) =>
    readLine(`https 2025-10-10T13:55:36.000000Z ${text.slice(0, MAX_LINE_BYTES)}`),
};

for (const [reader, read] of Object.entries(READERS)) {
  let slowest = { ms: 0, text: '' };
  for (const text of texts) {
    let best = Infinity;
    for (let times = 0; times < 10; times++) {
      const from = performance.now();
      read(text);
      best = Math.min(best, performance.now() - from);
    }
    if (best > slowest.ms) slowest = { ms: best, text };
  }
  print({ reader, ms: Number(slowest.ms.toFixed(3)), text: slowest.text.slice(0, 40) });
}
