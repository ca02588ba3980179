// The address of the page, as foot.js and its parts report it.
import { options } from './options.ts';

/**
 * Without its fragment; with `data-hash`, /app/?utm_source=x#!/users → /app/users?utm_source=x. Some mailers write `&` as `&#38;` or
 * `&#038;`, and browsers take what follows for a fragment. It is part of the query, and the server reads it.
 */
export const addressNow = (): string =>
  location.href
    // eslint-disable-next-line regexp/no-super-linear-move -- ten bytes less; it is the visitor's own address, a few kB long
    .replace(/(\/?)(\?.*?)?#(?!0?38;)!?\/?(.*)/, 'hash' in options ? '/$3$2' : '$1$2');
