// Links to pages that visitors sent. Hostile text, so only plain web addresses are returned.

/** The URL of a page of a site. Undefined if the text is not a path. */
export function pageAddress(domain: string, path: string): string | undefined {
  if (!path.startsWith('/') || path.startsWith('//')) return undefined;
  try {
    const url = new URL(path, `https://${domain}`);
    return url.protocol === 'https:' && url.host === domain ? url.href : undefined;
  } catch {
    return undefined;
  }
}
