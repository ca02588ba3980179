// Decides whether a content security policy lets a page load the script and send events (CSP Level 3, 6.7).

/** The sources of each directive, by name. If a directive is repeated, the first one counts. */
type Policy = ReadonlyMap<string, readonly string[]>;

type Loading = { url: URL; page: URL; nonce?: string | undefined; integrity?: string | undefined };

/** A header may hold several policies. All of them must allow a request. */
export function parsePolicies(header: string): Policy[] {
  return header.split(',').map((text) => {
    const policy = new Map<string, readonly string[]>();
    for (const directive of text.split(';')) {
      const [name, ...sources] = directive.trim().split(/\s+/);
      if (name && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
    }
    return policy;
  });
}

export function allowsScript(policy: Policy, loading: Loading): boolean {
  const sources = policy.get('script-src-elem') ?? policy.get('script-src') ?? policy.get('default-src');
  if (!sources) return true;
  if (loading.nonce && sources.includes(`'nonce-${loading.nonce}'`)) return true;
  const hashes = loading.integrity?.trim().split(/\s+/) ?? [];
  if (hashes.length > 0 && hashes.every((hash) => sources.includes(`'${hash}'`))) return true;
  // 'strict-dynamic' ignores hosts: only a nonce, a hash or a trusted script can load another script.
  if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
  return sources.some((source) => matches(source, loading));
}

export function allowsConnection(policy: Policy, loading: Loading): boolean {
  const sources = policy.get('connect-src') ?? policy.get('default-src');
  return !sources || sources.some((source) => matches(source, loading));
}

const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d+|\*))?(\/.*)?$/i;

function matches(source: string, { url, page }: Loading): boolean {
  const text = source.toLowerCase();
  if (text === "'self'") return url.host === page.host && isSchemeOf(page.protocol.slice(0, -1), url);
  if (text === '*') return true;
  if (/^[a-z][a-z0-9+.-]*:$/.test(text)) return isSchemeOf(text.slice(0, -1), url);
  const [, scheme, host = '', port, path] = HOST_SOURCE.exec(source) ?? [];
  if (host === '' || !isSchemeOf(scheme?.toLowerCase() ?? page.protocol.slice(0, -1), url)) return false;
  return isHost(host.toLowerCase(), url.hostname) && isPort(port, url) && isPath(path, url.pathname);
}

/** a source that names http also allows https */
function isSchemeOf(scheme: string, url: URL): boolean {
  return url.protocol === `${scheme}:` || (scheme === 'http' && url.protocol === 'https:');
}

function isHost(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

function isPort(pattern: string | undefined, url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (pattern === undefined) return url.port === '';
  return pattern === '*' || pattern === port || (pattern === '80' && port === '443');
}

function isPath(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined || pattern === '/') return true;
  return pattern.endsWith('/') ? path.startsWith(pattern) : path === pattern;
}
