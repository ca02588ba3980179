// Input that is meant to break something: a seeded stream, the same each time, and some 500 cases written by hand.
import { connect } from 'node:net';
import { openWords } from './random.ts';

export type Random = {
  /** From 0 to below `limit`. */
  number(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(part: number): boolean;
};

export function openRandom(seed: number): Random {
  const word = openWords(seed);
  const next = () => word() / 2 ** 32;
  const number = (limit: number) => Math.floor(next() * limit);
  return {
    number,
    pick: (items) => items[number(items.length)] as (typeof items)[number],
    chance: (part) => next() < part,
  };
}

export const NASTY_STRINGS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\nSet-Cookie: a=b',
  '\ud800',
  '\udc00x',
  '\u202eevil',
  '\u200b\u200d\ufeff',
  '\uffff',
  'é'.normalize('NFD').repeat(300),
  '\u0344'.repeat(200),
  '😀'.repeat(400),
  'ﷺ'.repeat(300),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  "'; DROP TABLE events; --",
  "\\'",
  '{site_id:String}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '${7*7}',
  '{{7*7}}',
  '%s%n%x',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  '=1+1',
  '@SUM(A1)',
  '%00',
  '%ff',
  '%',
  '%E0%A4%A',
  'x'.repeat(600),
  'x'.repeat(5_000),
  '(a+)+$'.repeat(100),
  'a'.repeat(3_000) + '!',
  '/'.repeat(2_000),
  '.'.repeat(2_000),
  '2026-02-30',
  '9999-12-31',
  '0000-01-01',
  '[object Object]',
];

export const NASTY_URLS: readonly string[] = [
  'javascript:alert(1)',
  'data:text/html,<script>1</script>',
  'file:///etc/passwd',
  'blob:https://fuzz.example/1',
  'ftp://fuzz.example/',
  '//fuzz.example/',
  '/path',
  'https://',
  'https:',
  'https:///',
  'https://[::1',
  'https://[::1]/',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://user:pass@fuzz.example/',
  'https://fuzz.example:99999/',
  'https://fuzz.example:0/',
  'https://fuzz.example./',
  'https://xn--/',
  'https://xn--a/',
  'https://müller.fuzz.example/ä',
  'https://fuzz.example/%ff%fe',
  'https://fuzz.example/%00',
  'https://fuzz.example/\0',
  'https://fuzz.example/\n\t',
  'https://fuzz.example/\ud800',
  'https://fuzz.example/' + '../'.repeat(500),
  'https://fuzz.example/' + 'a'.repeat(2_020),
  'https://fuzz.example/' + 'a'.repeat(100_000),
  'https://fuzz.example/' + '%F0%9F%98%80'.repeat(160),
  'https://fuzz.example/?' + 'utm_source=a&'.repeat(150),
  'https://fuzz.example/?utm_source=' + '%00'.repeat(300),
  'https://fuzz.example/?utm_source=%ff&utm_source[]=1&__proto__=1&constructor=2',
  'https://fuzz.example/#' + 'a'.repeat(1_900),
  `https://${'a'.repeat(1_900)}.fuzz.example/`,
  `https://${'a.'.repeat(900)}fuzz.example/`,
  'https://fuzz.example\\@evil.example/',
  'https://fuzz.example%2f@evil.example/',
  'https://fuzz\u3002example/',
  'HTTPS://FUZZ.EXAMPLE/',
  ' https://fuzz.example/ ',
];

const NASTY_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 64,
  1e21,
];

/** Values that JSON can hold and no field accepts. */
export function nastyValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick(NASTY_STRINGS),
    () => random.pick(NASTY_URLS),
    () => random.pick(NASTY_NUMBERS),
    () => null,
    () => random.chance(0.5),
    () => [],
    () => ({}),
    () => [random.pick(NASTY_STRINGS), random.pick(NASTY_NUMBERS), null],
    () => ({ [random.pick(NASTY_STRINGS)]: random.pick(NASTY_NUMBERS) }),
    () => Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index])),
    () => nest(random.number(60)),
  ])();
}

function nest(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const FIELDS = [
  'site',
  'name',
  'url',
  'referrer',
  'id',
  'props',
  'revenue',
  'width',
  'touch',
  'webdriver',
  'interactive',
  'engaged',
  'scroll',
] as const;

export const FUZZ_DOMAIN = 'fuzz.example';

/** A valid request, to be broken in one or several places. */
export const goodHit = () => ({
  site: FUZZ_DOMAIN,
  name: 'pageview',
  url: `https://${FUZZ_DOMAIN}/`,
  referrer: 'https://www.google.com/',
  props: { plan: 'pro' },
  width: 1280,
});

export type HostileHit = { body: string; headers: Record<string, string> };
const hit = (body: unknown, headers: Record<string, string> = {}): HostileHit => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
});

/** Some 500 bodies for /foot, each wrong in its own way. */
export function fixedHits(): HostileHit[] {
  const good = goodHit();
  const good64 = JSON.stringify(good);
  const hits = [
    ...['', ' ', '{', '}', '[]', '[', 'null', 'true', '0', '-', '"', '""', 'NaN', 'undefined', '\0', '\ufeff{}'].map(
      (text) => hit(text),
    ),
    ...['[', '{"a":'].map((open) => hit(open.repeat(10_000))),
    hit('['.repeat(10_000) + ']'.repeat(10_000)),
    hit(`{"props":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`),
    hit(good64.slice(0, -1)),
    hit(`${good64}${good64}`),
    hit(`${good64},`),
    hit(good64.replace('{', `{"site":"other.example",`)),
    hit(good64.replace('{', '{"__proto__":{"site":"x"},"constructor":{"prototype":{"polluted":1}},')),
    hit(good64.replace('"plan":"pro"', '"__proto__":"x","constructor":"y","toString":"z"')),
    hit(good64.replace('1280', '1e400')),
    hit(good64.replace('1280', '-0')),
    hit(good64.replace('1280', '9'.repeat(400))),
    hit(good64.replace('pro"', 'pro\\ud800"')),
    hit(good64.replace('pro"', 'pro\\u0000"')),
    hit({ ...good, props: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, index])) }),
    hit('x'.repeat(33_000)),
    hit('x'.repeat(2_000_000)),
    ...['application/json', 'application/json; charset=utf-16', 'text/plain;charset=utf-8', 'TEXT/PLAIN'].map((type) =>
      hit(good64, { 'content-type': type }),
    ),
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/html',
      'text/plain, x/y',
      '',
      ';',
    ].map((type) => hit(good64, { 'content-type': type })),
    ...['gzip', 'br', 'deflate', 'identity', 'x', 'gzip, gzip'].map((encoding) =>
      hit(good64, { 'content-encoding': encoding }),
    ),
    ...FIELDS.flatMap((field) =>
      [
        null,
        true,
        0,
        -1,
        1e308,
        [],
        {},
        [[]],
        { a: {} },
        { __proto__: null, then: 1 },
        '',
        ' ',
        '\0',
        '\ud800',
        'x'.repeat(30_000),
        ['https://fuzz.example/'],
        { toString: 1 },
        { length: 1e9 },
        '__proto__',
        '\u202e',
      ].map((value) => hit({ ...good, [field]: value })),
    ),
    ...NASTY_URLS.map((url) => hit({ ...good, url })),
    ...NASTY_URLS.map((referrer) => hit({ ...good, referrer })),
    ...NASTY_STRINGS.map((name) => hit({ ...good, name })),
  ];
  for (const amount of [
    -1,
    0,
    1e308,
    1e9 + 1,
    '1e308',
    'NaN',
    '-1',
    '9'.repeat(40),
    '1,5',
    ' 1',
    null,
    true,
    [],
    [5],
    {},
    '',
  ])
    hits.push(hit({ ...good, revenue: { amount, currency: 'EUR' } }));
  for (const key of NASTY_STRINGS) hits.push(hit({ ...good, props: { [key]: key } }));
  return hits;
}

/** A valid request with one or several broken fields, or with its text cut, doubled or reversed. */
export function generatedHit(random: Random): HostileHit {
  const body: Record<string, unknown> = goodHit();
  for (let spoilt = 1 + random.number(3); spoilt > 0; spoilt -= 1) body[random.pick(FIELDS)] = nastyValue(random);
  let text = JSON.stringify(body);
  if (random.chance(0.3)) {
    const at = random.number(text.length);
    text = random.pick([
      text.slice(0, at),
      text.slice(0, at) + random.pick(['"', '\\', '{', ']', ',', '\0', 'ÿ', '\ud800']) + text.slice(at),
      text.slice(0, at) + text.slice(at + 1 + random.number(9)),
      text + text.slice(at),
    ]);
  }
  return hit(text, random.chance(0.2) ? { [random.pick(HEADERS)]: headerValue(random) } : {});
}

const HEADERS = [
  'user-agent',
  'accept-language',
  'sec-ch-ua',
  'sec-ch-ua-platform',
  'sec-purpose',
  'dnt',
  'sec-gpc',
  'x-forwarded-for',
  'forwarded',
  'origin',
  'cookie',
  'signature-agent',
  'content-type',
] as const;

/** Latin-1 without line ends and other controls: what a client library lets through. */
function headerValue(random: Random): string {
  return random
    .pick([
      ...NASTY_STRINGS,
      ...NASTY_URLS,
      'en,'.repeat(900),
      '1.1.1.1,'.repeat(900),
      ';q='.repeat(500),
      '\xff\xfe\x80',
    ])
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .trim();
}

/** Internals that no answer may show: a stack, a path, a statement, a library. */
export const INSIDES =
  /\n +at |node:internal|file:\/\/\/(?!etc)|node_modules|\/(server|work|root|home)\/|\.ts[:)]|\b(SELECT|INSERT|DELETE|UPDATE) .*\b(FROM|INTO|SET)\b|kysely|sqlite|chdb|DB::Exception|ZodError|TRPCError/i;

/** Sends bytes on their own connection, and returns what came back until it was closed, or until `quietMs` after the last byte. */
export function sendRaw(port: number, bytes: string | Buffer, quietMs = 60): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    let timer: NodeJS.Timeout | undefined; // not before the first byte, which may take long on a busy machine
    function finish() {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    }
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(finish, quietMs);
    });
    socket.on('error', () => undefined);
    socket.on('close', finish);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** The status of each answer in the received text. */
export const statusesOf = (answer: string) =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
