// Parses a stranger's HTML with a limit on the work.
import { Parser } from 'htmlparser2';

const MAX_DEPTH = 512; // as in Chromium
/** TRICKY: the parser takes 49 s for a megabyte of unclosed `<svg>`, so the depth is checked after each chunk. */
const CHUNK = 16_384;

type Handlers = {
  onOpen(name: string, attributes: Record<string, string>): void;
  onText?(text: string): void;
  onClose?(): void;
};

export function readHtml(html: string, handlers: Handlers): void {
  let depth = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      handlers.onOpen(name, attributes);
    },
    ontext: (text) => handlers.onText?.(text),
    onclosetag: () => {
      depth -= 1;
      handlers.onClose?.();
    },
  });
  for (let start = 0; start < html.length && depth <= MAX_DEPTH; start += CHUNK)
    parser.write(html.slice(start, start + CHUNK));
  parser.end();
}
