// Links to what visitors sent: hostile text, so nothing but plain web addresses comes out.

/** The address of a page of a site; undefined for what is no path. */
export function pageAddress(domain: string, path: string): string | undefined {
  if (!path.startsWith('/') || path.startsWith('//')) return undefined;
  try {
    const url = new URL(path, `https://${domain}`);
    return url.protocol === 'https:' && url.host === domain ? url.href : undefined;
  } catch {
    return undefined;
  }
}
