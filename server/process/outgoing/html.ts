// Parses a stranger's HTML or XML with a limit on the work. In XML, the parser knows only the five entities of the standard and ignores those that
// a document defines, so none can expand.
import { Parser } from 'htmlparser2';

const MAX_DEPTH = 512; // as in Chromium
/** TRICKY: the parser takes 49 s for a megabyte of unclosed `<svg>`, so the depth is checked after each chunk. */
const CHUNK = 16_384;

type Handlers = {
  onOpen(name: string, attributes: Record<string, string>): void;
  onText?(text: string): void;
  onClose?(): void;
};

export const readHtml = (html: string, handlers: Handlers): void => readMarkup(html, handlers, { xmlMode: false });
export const readXml = (xml: string, handlers: Handlers): void => readMarkup(xml, handlers, { xmlMode: true });

function readMarkup(text: string, handlers: Handlers, options: { xmlMode: boolean }): void {
  let depth = 0;
  const callbacks = {
    onopentag: (name: string, attributes: Record<string, string>) => {
      depth += 1;
      handlers.onOpen(name, attributes);
    },
    ontext: (part: string) => handlers.onText?.(part),
    onclosetag: () => {
      depth -= 1;
      handlers.onClose?.();
    },
  };
  const parser = new Parser(callbacks, options);
  for (let start = 0; start < text.length && depth <= MAX_DEPTH; start += CHUNK)
    parser.write(text.slice(start, start + CHUNK));
  parser.end();
}
