// The content security policy of the dashboard's pages, and the path to which browsers report violations.
import { createHash } from 'node:crypto';

export const REPORTS_PATH = '/policy-reports';
/** One year, the minimum for browsers' preload lists. Sent over TLS only (RFC 6797, 7.2). */
export const HSTS = new Map([['strict-transport-security', 'max-age=31536000; includeSubDomains']]);

/** The only style attribute that SvelteKit writes: it hides the text that announces a new page to screen readers. */
const ANNOUNCER_STYLE =
  'position: absolute; left: 0; top: 0; clip: rect(0 0 0 0); clip-path: inset(50%); overflow: hidden; white-space: nowrap; width: 1px; height: 1px';

/**
 * Allows only scripts and styles from this server, plus the page's inline scripts by hash. Only Svelte may turn text into elements, and only the
 * reader of imports starts a worker.
 */
export function policyOf(
  page: string,
  { framedBy }: { framedBy: readonly string[] } = { framedBy: [] },
): Record<string, string> {
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => hashOf(script));
  const policy = [
    "default-src 'self'",
    ['script-src', "'self'", ...scripts].join(' '),
    "style-src 'self'",
    `style-src-attr 'unsafe-hashes' ${hashOf(ANNOUNCER_STYLE)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    ancestorsOf(framedBy),
    "require-trusted-types-for 'script'",
    'trusted-types svelte-trusted-html footfall-reader',
    `report-uri ${REPORTS_PATH}`, // for Firefox, which does not know report-to
    'report-to policy',
  ];
  return {
    'content-security-policy': policy.join('; '),
    'reporting-endpoints': `policy="${REPORTS_PATH}"`,
  };
}

/** Sources are hosts such as `*.example.com`, or `'self'`. */
export const ancestorsOf = (sources: readonly string[]): string =>
  `frame-ancestors ${sources.length > 0 ? sources.join(' ') : "'none'"}`;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
