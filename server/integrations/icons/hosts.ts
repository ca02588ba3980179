// Finds the host whose icon a row gets. Only names with a public suffix have one. Hosts that are on no list are cut to their registrable
// domain: otherwise a server could learn from its own host names which of its links was followed.
import { parse } from 'tldts';
import { agents } from '../../collect/lists/ai-agents.ts';
import { homeOfSource, sourceOfName } from '../../collect/sources/referrer.ts';
import { isPrivateHost } from '../../process/http/private-addresses.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';

/** As stored: in lower case and punycode. */
const HOST = /^[a-z0-9.-]{4,253}$/;
/** App ids look like reversed host names: com.example.reader. */
const APP = /^(?:com|org|net)\./;

/** Agents have the icon of their provider. */
const PROVIDERS: ReadonlyMap<string, string> = new Map(agents.map(({ token, provider }) => [token, provider]));

const HOSTS: Partial<Record<Dimension, (name: string) => string | undefined>> = {
  source: (name) => homeOfSource(name) ?? registrable(name),
  referrer: registrable,
  utm_source: homeOfNamed,
  hostname: registrable,
  ai_provider: homeOfNamed,
  ai_agent: (name) => homeOfNamed(PROVIDERS.get(name) ?? ''),
};

export function hostOfRow(dimension: Dimension, name: string): string | undefined {
  return HOSTS[dimension]?.(name);
}

function homeOfNamed(name: string): string | undefined {
  return homeOfSource(sourceOfName(name)?.source ?? '');
}

/** A site's own domain is used as it is, since its owner entered it. */
export function hostOfSite(domain: string): string | undefined {
  return isPrivateHost(domain) || !hasPublicSuffix(parse(domain)) ? undefined : domain;
}

function registrable(name: string): string | undefined {
  const [host = ''] = name.split('/', 1);
  if (!HOST.test(host) || APP.test(host) || isPrivateHost(host)) return undefined;
  const parsed = parse(host, { allowPrivateDomains: true });
  return hasPublicSuffix(parsed) ? (parsed.domain ?? undefined) : undefined;
}

function hasPublicSuffix({ isIcann, isPrivate, isIp }: ReturnType<typeof parse>): boolean {
  return isIp !== true && (isIcann === true || isPrivate === true);
}
