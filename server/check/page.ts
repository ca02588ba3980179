// Reads everything in a page's HTML that concerns the snippet: its scripts and the content security policies in `<meta>`.
import { Parser } from 'htmlparser2';

export type Script = {
  src: URL;
  site: string | undefined;
  endpoint: string | undefined;
  nonce: string | undefined;
  integrity: string | undefined;
};

export type PageFacts = {
  scripts: Script[];
  /** The code of scripts without `src`. */
  inline: string[];
  /** Content security policies in `<meta>`. */
  policies: string[];
  /** `data-site` of an element other than a script: pages that bundle the tracker as a module name their site this way. */
  moduleSite: string | undefined;
};

const MAX_DEPTH = 512; // as in Chromium
/** TRICKY: the parser takes 49 s for a megabyte of unclosed `<svg>`, so the depth is checked after each chunk. */
const CHUNK = 16_384;

export function readPage(html: string, url: URL): PageFacts {
  const facts: PageFacts = { scripts: [], inline: [], policies: [], moduleSite: undefined };
  let base = url;
  let hasBase = false;
  let depth = 0;
  let inline: string[] | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (name === 'base' && !hasBase && attributes['href'] !== undefined) {
        base = URL.parse(attributes['href'], url) ?? url;
        hasBase = true;
      }
      if (name === 'meta' && attributes['http-equiv']?.trim().toLowerCase() === 'content-security-policy')
        facts.policies.push(attributes['content'] ?? '');
      if (name !== 'script') facts.moduleSite ??= attributes['data-site'];
      else if (attributes['src'] === undefined) inline = [];
      else {
        const src = URL.parse(attributes['src'].trim(), base);
        if (src) facts.scripts.push({ src, ...attributesOf(attributes) });
      }
    },
    ontext(text) {
      inline?.push(text);
    },
    onclosetag() {
      depth -= 1;
      if (inline) facts.inline.push(inline.join(''));
      inline = undefined;
    },
  });
  for (let start = 0; start < html.length && depth <= MAX_DEPTH; start += CHUNK)
    parser.write(html.slice(start, start + CHUNK));
  parser.end();
  return facts;
}

function attributesOf(attributes: Record<string, string>): Omit<Script, 'src'> {
  return {
    site: attributes['data-site'],
    endpoint: attributes['data-endpoint'],
    nonce: attributes['nonce'],
    integrity: attributes['integrity'],
  };
}
