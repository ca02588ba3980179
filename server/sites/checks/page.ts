// Reads everything in a page's HTML that concerns the snippet: its scripts and the content security policies in `<meta>`.
import { ERRORS_QUERY, OPT_OUT_QUERY, VITALS_QUERY } from '../../vocabulary/settings/privacy.ts';
import { readHtml } from '../../process/outgoing/html.ts';

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

export function readPage(html: string, url: URL): PageFacts {
  const facts: PageFacts = { scripts: [], inline: [], policies: [], moduleSite: undefined };
  let base = url;
  let hasBase = false;
  let inline: string[] | undefined;
  readHtml(html, {
    onOpen: (name, attributes) => {
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
        if (src && ![OPT_OUT_QUERY, VITALS_QUERY, ERRORS_QUERY].includes(src.search))
          facts.scripts.push({ src, ...attributesOf(attributes) });
      }
    },
    onText: (text) => inline?.push(text),
    onClose: () => {
      if (inline) facts.inline.push(inline.join(''));
      inline = undefined;
    },
  });
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
