// The domains that a host belongs to.

/** `a.b.example`, `b.example` and `example` for `a.b.example`: whole labels, the longest first. */
export function domainsOf(host: string): string[] {
  if (host.length > 253) return [];
  const labels = host.toLowerCase().split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
