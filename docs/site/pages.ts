// Which pages the site has, and each as HTML: docs/README.md lists them, and its tables are the menu.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { imageSize } from 'image-size';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeXml } from '../../server/vocabulary/texts/markup.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The page that lists all others. */
const INDEX = 'docs/README.md';
/** Pages outside docs/, with their names on the site. */
const OTHERS: Readonly<Record<string, string>> = {
  [INDEX]: 'index',
  'README.md': 'footfall',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'vulnerabilities',
  'CONTRIBUTING.md': 'contributing',
  'ARCHITECTURE.md': 'architecture',
  'tracker/README.md': 'script',
  'deploy/README.md': 'deploy',
};
/** The API's reference is made of the table of operations, not of a file. */
export const API = 'api';

export type Group = { title: string; pages: Page[] };
/** `name`: its address is NAME.html. */
export type Page = { name: string; title: string; file?: string };
/** What a search finds: a heading of a page, and the text below it. The first one of a page has no anchor. */
export type Section = { page: string; title: string; anchor: string; heading: string; text: string };
export type Written = { html: string; headings: Heading[]; sections: Section[] };
type Heading = { depth: number; anchor: string; text: string };

/** Copies a file that a page shows or links, and returns its address. */
export type Copy = (file: string, bytes: Uint8Array) => string;

const nameOf = (file: string): string => OTHERS[file] ?? basename(file, '.md');
const titleOf = (file: string): string => /^# (.+)$/m.exec(read(file))?.[1] ?? file;
const pageOf = (file: string): Page => ({ name: nameOf(file), title: titleOf(file), file });

/** All pages, in the order of the menu. */
export function listPages(): Group[] {
  const listed = read(INDEX)
    .split(/^## /m)
    .slice(2) // the text above, and the questions
    .map((part) => ({
      title: part.split('\n', 1)[0] ?? '',
      pages: [...part.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = '']) =>
        pageOf(normalize(join('docs', path))),
      ),
    }));
  listed[0]?.pages.push({ name: API, title: 'API reference' });
  const about = ['CHANGELOG.md', 'SECURITY.md'].map(pageOf);
  return [{ title: 'Start', pages: [INDEX, 'README.md'].map(pageOf) }, ...listed, { title: 'About', pages: about }];
}

const FILES: ReadonlySet<string | undefined> = new Set(
  listPages().flatMap(({ pages }) => pages.map(({ file }) => file)),
);

/** As GitHub makes them: pages link to these in the repository, too. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const plainOf = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** The tags that our own texts use in Markdown. All others are shown as text. */
const TAGS = /^<\/?(details|summary)>/;

type Place = { file: string; copy: Copy };

/** Writes the Markdown of a page as HTML. `file`: where its links start. */
export function writePage({ name, title }: Page, markdown: string, place: Place): Written {
  const marked = markdownOf(place);
  const tokens = marked.lexer(markdown);
  const headings: Heading[] = [];
  const parts: { heading?: Heading; tokens: Token[] }[] = [{ tokens: [] }];
  const known = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = plainOf(marked.Parser.parseInline((token as Tokens.Heading).tokens, marked.defaults));
      const before = known.get(anchorOf(text)) ?? 0;
      known.set(anchorOf(text), before + 1);
      const heading = {
        depth: (token as Tokens.Heading).depth,
        anchor: before === 0 ? anchorOf(text) : `${anchorOf(text)}-${before}`,
        text,
      };
      headings.push(heading);
      parts.push({ heading, tokens: [token] });
    } else parts.at(-1)?.tokens.push(token);
  }
  const written = parts.map(({ heading, tokens: own }) => {
    const [head, ...rest] = heading ? own : [undefined, ...own];
    const inside = head ? marked.Parser.parseInline((head as Tokens.Heading).tokens, marked.defaults) : '';
    return { heading, head: heading ? headingOf(heading, inside) : '', body: marked.parser(rest as Token[]) };
  });
  return {
    html: written.map(({ head, body }) => head + body).join(''),
    headings: headings.filter(({ depth }) => depth > 1),
    sections: written
      .filter(({ heading, body }) => heading || body !== '')
      .map(({ heading, body }) => ({
        page: name,
        title,
        anchor: heading && heading.depth > 1 ? heading.anchor : '',
        heading: heading?.text ?? title,
        text: plainOf(body),
      })),
  };
}

const headingOf = ({ depth, anchor, text }: Heading, html: string): string =>
  depth === 1
    ? `<h1>${html}</h1>\n`
    : `<h${depth} id="${anchor}">${html} <a class="anchor" href="#${anchor}" aria-label="Link to “${escapeXml(text)}”">#</a></h${depth}>\n`;

function markdownOf({ file, copy }: Place): Marked {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      link({ href, tokens, text }) {
        const inside = this.parser.parseInline(tokens);
        if (/^(https?:|mailto:)/.test(href)) return `<a href="${escapeXml(href)}">${inside}</a>`;
        const { target, anchor } = targetOf(href, file);
        if (target === '') return `<a href="${escapeXml(anchor)}">${inside}</a>`;
        if (FILES.has(target)) {
          const isPath = text.endsWith('.md') && target.endsWith(text.replace(/^(\.\.\/)+/, ''));
          return `<a href="${nameOf(target)}.html${escapeXml(anchor)}">${isPath ? escapeXml(titleOf(target)) : inside}</a>`;
        }
        const address = target.startsWith('docs/') ? copied(target, copy) : undefined;
        if (address !== undefined) return `<a href="${escapeXml(address)}">${inside}</a>`;
        const path = `<code>${escapeXml(target)}</code>`;
        return plainOf(inside) === target ? path : `${inside} (${path})`;
      },
      image({ href, text }) {
        const address = copied(targetOf(href, file).target, copy);
        if (address === undefined) return escapeXml(text);
        const { width, height } = imageSize(readFileSync(join(root, targetOf(href, file).target)));
        return `<img src="${escapeXml(address)}" alt="${escapeXml(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      code({ text, lang = '' }) {
        const code = /^(sh|bash)$/.test(lang) ? shellOf(text) : escapeXml(text);
        return `<div class="code"><pre tabindex="0"><code>${code}</code></pre></div>\n`;
      },
      codespan: ({ text }) => `<code>${escapeXml(text)}</code>`,
      html: ({ text }) => {
        if (text.startsWith('<!--')) return '';
        return TAGS.test(text) ? text.replace(/<(?!\/?(details|summary)>)/g, '&lt;') : escapeXml(text);
      },
      table(token) {
        const cell = ({ tokens, header }: Tokens.TableCell) =>
          `<${header ? 'th scope="col"' : 'td'}>${this.parser.parseInline(tokens)}</${header ? 'th' : 'td'}>`;
        const row = (cells: Tokens.TableCell[]) => `<tr>${cells.map(cell).join('')}</tr>\n`;
        return `<div class="table" tabindex="0"><table><thead>\n${row(token.header)}</thead><tbody>\n${token.rows.map(row).join('')}</tbody></table></div>\n`;
      },
    },
  });
  return marked;
}

/** Sets remarks apart from what is typed. */
const shellOf = (text: string): string =>
  escapeXml(text)
    .split('\n')
    .map((line) => line.replace(/(^|\s)(# .*)$/, '$1<span class="remark">$2</span>'))
    .join('\n');

function targetOf(href: string, file: string): { target: string; anchor: string } {
  const [path = '', hash] = href.split('#', 2);
  return { target: path && normalize(join(dirname(file), path)), anchor: hash === undefined ? '' : `#${hash}` };
}

function copied(file: string, copy: Copy): string | undefined {
  if (!existsSync(join(root, file)) || extname(file) === '') return undefined;
  return copy(basename(file), readFileSync(join(root, file)));
}
