// Where the token stands that proves who owns a domain.

export const OWNERSHIP = {
  /** Name of the `<meta>` tag, and of the value in a TXT record: `footfall-verification=TOKEN`. */
  name: 'footfall-verification',
  /** A file at this path contains nothing but the token. */
  path: '/.well-known/footfall-verification.txt',
} as const;
