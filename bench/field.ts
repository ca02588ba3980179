// `npm run field`: how Footfall reads user agents, beside two independent parsers, and which bots and referrers of public lists it knows. It
// prints the kinds in which both others agree with each other and not with us, by how often such traffic occurs, and writes the shares into
// docs/accuracy.md. The parsers are installed into a temporary folder: nothing of theirs ships.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import crawlers from 'crawler-user-agents';
import { recogniseAi } from '../server/collect/agents/ai.ts';
import { botReason } from '../server/collect/agents/bots.ts';
import { parseClient } from '../server/collect/agents/device.ts';
import { tempFolder } from '../tests/setup/folder.ts';

const PAGE = new URL('../docs/accuracy.md', import.meta.url);
const PEOPLE = new URL('../node_modules/user-agents/dist/user-agents.json', import.meta.url);
const PARSERS = { 'node-device-detector': '2.2.7', bowser: '2.15.1', 'top-user-agents': '2.1.138' } as const;
/** Kinds of differences that are printed. */
const SHOWN = 15;

type Read = { browser: string; os: string; device: string };
type Parser = { name: string; read(userAgent: string): Read; isBot(userAgent: string): boolean };
type Seen = { userAgent: string; weight: number };

/** What the parsers call a browser, a system or a device, in our words. Versions of one product for phones are that product here, too. */
const OUR_WORDS: Readonly<Record<string, string>> = {
  'mobile safari': 'safari',
  'chrome mobile': 'chrome',
  'chrome mobile ios': 'chrome',
  'firefox mobile': 'firefox',
  'firefox mobile ios': 'firefox',
  'microsoft edge': 'edge',
  'samsung browser': 'samsung internet',
  'samsung internet for android': 'samsung internet',
  'google search app': 'google app',
  'google search': 'google app',
  'duckduckgo privacy browser': 'duckduckgo',
  'opera touch': 'opera',
  'android browser': 'chrome webview',
  mac: 'macos',
  ipados: 'ios',
  'gnu/linux': 'linux',
  ubuntu: 'linux',
  fedora: 'linux',
  'fire os': 'android',
  'chromium os': 'chrome os',
  smartphone: 'mobile',
  phablet: 'mobile',
  'feature phone': 'mobile',
};
const inOurWords = (name: string | undefined) => OUR_WORDS[(name ?? '').toLowerCase()] ?? (name ?? '').toLowerCase();

async function openOthers(folder: string): Promise<{ others: Parser[]; top: string[] }> {
  const packages = Object.entries(PARSERS).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  const load = createRequire(join(folder, 'package.json'));
  type Detected = { client?: { name?: string }; os?: { name?: string }; device?: { type?: string } };
  const Detector = load('node-device-detector') as new () => {
    detect(userAgent: string): Detected;
    parseBot(userAgent: string): { name?: string };
  };
  type Parsed = { browser: { name?: string }; os: { name?: string }; platform: { type?: string } };
  const bowser = load('bowser') as { parse(userAgent: string): Parsed };
  const detector = new Detector();
  return {
    top: load('top-user-agents') as string[],
    others: [
      {
        name: 'node-device-detector',
        read: (userAgent) => {
          const { client, os, device } = detector.detect(userAgent);
          return { browser: inOurWords(client?.name), os: inOurWords(os?.name), device: inOurWords(device?.type) };
        },
        isBot: (userAgent) => detector.parseBot(userAgent).name !== undefined,
      },
      {
        name: 'bowser',
        read: (userAgent) => {
          const { browser, os, platform } = bowser.parse(userAgent);
          return { browser: inOurWords(browser.name), os: inOurWords(os.name), device: inOurWords(platform.type) };
        },
        isBot: (userAgent) => bowser.parse(userAgent).platform.type === 'bot',
      },
    ],
  };
}

const ours = remembering({
  name: 'Footfall',
  read: (userAgent) => {
    const { browser, os, device } = parseClient(userAgent, {});
    return { browser: inOurWords(browser), os: inOurWords(os), device: inOurWords(device) };
  },
  isBot: (userAgent) => Boolean(botReason({ userAgent, headers: {}, webdriver: false }) ?? recogniseAi({ userAgent })),
});

/** Each answer once: a parser takes milliseconds for one. */
function remembering({ name, read, isBot }: Parser): Parser {
  const once = <Answer>(ask: (userAgent: string) => Answer) => {
    const known = new Map<string, Answer>();
    return (userAgent: string) => {
      if (!known.has(userAgent)) known.set(userAgent, ask(userAgent));
      return known.get(userAgent) as Answer;
    };
  };
  return { name, read: once(read), isBot: once(isBot) };
}

/** Each user agent once, with all of its weight. */
function together(seen: readonly Seen[]): Seen[] {
  const weights = new Map<string, number>();
  for (const { userAgent, weight } of seen) weights.set(userAgent, (weights.get(userAgent) ?? 0) + weight);
  return [...weights].map(([userAgent, weight]) => ({ userAgent, weight }));
}

const shareOf = (seen: readonly Seen[], holds: (userAgent: string) => boolean): string => {
  const whole = seen.reduce((sum, { weight }) => sum + weight, 0);
  const part = seen.reduce((sum, { userAgent, weight }) => sum + (holds(userAgent) ? weight : 0), 0);
  return `${((100 * part) / whole).toFixed(2)} %`;
};

/** The kinds in which both others agree and we do not, the most frequent first. */
function outvoted(seen: readonly Seen[], others: readonly Parser[], what: keyof Read): string[] {
  const kinds = new Map<string, { weight: number; example: string }>();
  for (const { userAgent, weight } of seen) {
    const [theirs = '', ...more] = others.map((other) => other.read(userAgent)[what]);
    const own = ours.read(userAgent)[what];
    if (theirs === '' || theirs === own || more.some((one) => one !== theirs)) continue;
    const kind = `${what}: ${own || 'none'} here, ${theirs} there`;
    const known = kinds.get(kind);
    kinds.set(kind, { weight: (known?.weight ?? 0) + weight, example: known?.example ?? userAgent });
  }
  const sorted = [...kinds].sort(([, one], [, other]) => other.weight - one.weight).slice(0, SHOWN);
  return sorted.map(([kind, { weight, example }]) => `${weight.toFixed(4)}  ${kind}\n        ${example}`);
}

await using folder = await tempFolder();
const opened = await openOthers(folder.path);
const others = opened.others.map(remembering);
const people = together(
  (JSON.parse(readFileSync(PEOPLE, 'utf8')) as { userAgent: string; weight?: number }[]).map(
    ({ userAgent, weight = 1 }) => ({ userAgent, weight }),
  ),
);
const frequent = opened.top.map((userAgent) => ({ userAgent, weight: 1 }));
const bots = together(crawlers.flatMap(({ instances }) => instances.map((userAgent) => ({ userAgent, weight: 1 }))));
const alike = (what: keyof Read) =>
  others.map((other) =>
    shareOf(people, (userAgent) => [ours.read(userAgent)[what], ''].includes(other.read(userAgent)[what])),
  );
const parsers = [ours, ...others];
const table = [
  `| ${new Date().toISOString().slice(0, 10)} | ${parsers.map(({ name }) => name).join(' | ')} |`,
  '| --- | --- | --- | --- |',
  `| people (${people.length} user agents, by how often they occur) who are kept | ${parsers.map(({ isBot }) => shareOf(people, (userAgent) => !isBot(userAgent))).join(' | ')} |`,
  `| the ${frequent.length} most frequent user agents that are kept | ${parsers.map(({ isBot }) => shareOf(frequent, (userAgent) => !isBot(userAgent))).join(' | ')} |`,
  `| bots (${bots.length} user agents) that are left out | ${parsers.map(({ isBot }) => shareOf(bots, isBot)).join(' | ')} |`,
  `| browsers that Footfall names alike | | ${alike('browser').join(' | ')} |`,
  `| systems that Footfall names alike | | ${alike('os').join(' | ')} |`,
  `| devices that Footfall names alike | | ${alike('device').join(' | ')} |`,
].join('\n');
const kinds = (['browser', 'os', 'device'] as const).flatMap((what) => outvoted(people, others, what));
const page = readFileSync(PAGE, 'utf8');
writeFileSync(
  PAGE,
  page.replace(/(?<=<!-- field -->\n\n)[\s\S]*?(?=\n\n<!-- \/field -->)/, () => table),
);
process.stdout.write(`${table}\n\nBoth others agree, and not with Footfall:\n${kinds.join('\n')}\n`);
