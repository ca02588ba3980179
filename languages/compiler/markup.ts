// Messages in the markup of components. A text with the expressions and elements inside it is one message: `Of {0} paid, <1>see why</1>`.
import { withoutContext } from '../../server/vocabulary/habits/messages.ts';
import type { Edits } from './edits.ts';
import { childrenOf, type Compiling, type Node } from './found.ts';
import { literalOf } from './scripts.ts';

/** Attributes that people read. */
const OF_ELEMENTS = new Set(
  'title aria-label aria-description aria-roledescription aria-valuetext alt placeholder label'.split(' '),
);
/** Properties of components that people read. */
const OF_COMPONENTS = new Set(
  'about action alt aria-label button cancel confirm description details empty failed heading hint intro label legend none once placeholder question submit text title unit usual what why words'.split(
    ' ',
  ),
);
/** What is inside is not language. */
const SKIPPED = new Set(['code', 'pre', 'kbd', 'style', 'script', 'svg']);
/** Elements of a layout: a message does not reach across them. */
const APART = new Set(
  'p div ul ol li dl dt dd table thead tbody tr td th section article header footer nav main aside form fieldset legend label h1 h2 h3 h4 h5 h6 details summary input select textarea option figure dialog hr'.split(
    ' ',
  ),
);
const LETTER = /\p{L}/u;
/** The name of the product is the same everywhere. */
const hasWords = (text: string): boolean => LETTER.test(text.replaceAll('Footfall', '')) && !SAMPLE.test(text.trim());
/** An address, a path or a domain. */
const SAMPLE = /^[^\s./@*]*[./@*]\S+$/;

type Context = {
  edits: Edits;
  compiling: Compiling;
  /** Notes that the component needs these. */
  need(name: 'say' | 'Rich'): string;
};

export function compileMarkup(fragment: Node, context: Context): void {
  visitNodes(fragment['nodes'] as Node[], context);
}

function visitNodes(nodes: Node[], context: Context): void {
  let run: Node[] = [];
  for (const node of nodes) {
    if (isApart(node)) {
      compileRun(run, context);
      run = [];
      visit(node, context);
    } else run.push(node);
  }
  compileRun(run, context);
}

/** Snippets, heads and the like are no part of a text, wherever they stand. */
function isApart({ type, name }: Node): boolean {
  if (type === 'RegularElement') return APART.has(String(name));
  return /^(SnippetBlock|SvelteHead|SvelteWindow|SvelteBody|SvelteDocument|SvelteElement|ConstTag|DebugTag|Comment|DeclarationTag)$/.test(
    type,
  );
}

function visit(node: Node, context: Context): void {
  for (const attribute of (node['attributes'] as Node[] | undefined) ?? []) visitAttribute(node, attribute, context);
  if (isSkipped(node)) return;
  for (const child of childrenOf(node)) if (child.type === 'Fragment') visitNodes(child['nodes'] as Node[], context);
}

function isSkipped(node: Node): boolean {
  if (node.type === 'RegularElement' && SKIPPED.has(String(node['name']))) return true;
  return ((node['attributes'] as Node[] | undefined) ?? []).some(
    ({ name, value }) => name === 'translate' && Array.isArray(value) && (value[0] as Node)['data'] === 'no',
  );
}

function visitAttribute(owner: Node, attribute: Node, context: Context): void {
  const name = String(attribute['name']);
  const names = owner.type === 'Component' ? OF_COMPONENTS : OF_ELEMENTS;
  const { value } = attribute;
  if (attribute.type !== 'Attribute' || !names.has(name) || !Array.isArray(value)) return;
  const parts = value as Node[];
  if (!parts.some((part) => part.type === 'Text' && hasWords(String(part['data'])))) return;
  const sentence = new Sentence(context);
  sentence.add(parts);
  const code = sentence.code();
  context.edits.take(attribute.start, attribute.end);
  context.edits.replace(attribute.start, attribute.end, `${name}={${code}}`);
}

/** Whether a node has words of its own, which make it a part of the sentence around it. */
function hasOwnWords(node: Node): boolean {
  if (node.type === 'Text') return hasWords(String(node['data']));
  if (node.type !== 'RegularElement' && node.type !== 'Component') return false;
  if (isSkipped(node)) return false;
  return (((node['fragment'] as Node)['nodes'] as Node[]) ?? []).some(hasOwnWords);
}

const isSpace = (node: Node): boolean => node.type === 'Text' && String(node['data']).trim() === '';
/** What belongs to a sentence wherever it stands in it. */
const isValue = ({ type }: Node): boolean => type === 'ExpressionTag' || type === 'Text';

/** Nodes side by side, of which a part may be a message. */
function compileRun(nodes: Node[], context: Context): void {
  if (!nodes.some((node) => node.type === 'Text' && hasWords(String(node['data'])))) {
    for (const node of nodes) visit(node, context);
    return;
  }
  // What stands before and behind the words, such as a picture or a second sentence under a condition, stays there.
  let from = 0;
  let to = nodes.length;
  const isOutside = (node: Node | undefined) =>
    node !== undefined && (isSpace(node) || (!isValue(node) && !hasOwnWords(node)));
  while (isOutside(nodes[from])) from += 1;
  while (isOutside(nodes[to - 1])) to -= 1;
  for (const node of [...nodes.slice(0, from), ...nodes.slice(to)]) visit(node, context);
  compileSentence(nodes.slice(from, to), context);
}

function compileSentence(nodes: Node[], context: Context): void {
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (!first || !last) return;
  const start = first.start + (first.type === 'Text' ? spaceBefore(first) : 0);
  const end = last.end - (last.type === 'Text' ? spaceBehind(last) : 0);
  const sentence = new Sentence(context);
  const tags = sentence.add(nodes).join('');
  const code = tags ? sentence.markup(tags) : `{${sentence.code()}}`;
  context.edits.take(start, end);
  context.edits.replace(start, end, code);
}

const raw = (node: Node): string => String(node['raw']).replaceAll('&nbsp;', '      '); // as long
const spaceBefore = (node: Node): number => raw(node).length - raw(node).trimStart().length;
const spaceBehind = (node: Node): number => raw(node).length - raw(node).trimEnd().length;

/** One message while it is read: its text, and the source of the values in it. */
class Sentence {
  readonly #context: Context;
  readonly #values: string[] = [];
  #text = '';
  #tags = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Answers the snippets that draw the elements in it. */
  add(nodes: Node[]): string[] {
    return nodes.flatMap((node) => {
      if (!isValue(node)) return [this.#addTag(node)];
      this.#addValue(node);
      return [];
    });
  }

  #addValue(node: Node): void {
    const expression = node['expression'] as Node | undefined;
    const literal = expression && literalOf(expression);
    if (!expression) this.#text += String(node['data']).replaceAll(/[ \t\r\n]+/g, ' ');
    else if (literal !== undefined && !LETTER.test(literal)) this.#text += literal;
    else {
      this.#text += `{${this.#values.length}}`;
      this.#values.push(this.#context.edits.take(expression.start, expression.end));
    }
  }

  /** An element with words becomes `<1>words</1>`, anything else `<1/>`: a snippet draws it, wherever the language puts it. */
  #addTag(node: Node): string {
    const { edits, need } = this.#context;
    const number = this.#tags;
    this.#tags += 1;
    const nodes = (node['fragment'] as { nodes?: Node[] } | undefined)?.nodes ?? [];
    const [first, last] = [nodes[0], nodes.at(-1)];
    if (!first || !last || !hasOwnWords(node)) {
      visit(node, this.#context);
      this.#text += `<${number}/>`;
      return `{#snippet t${number}()}${edits.take(node.start, node.end)}{/snippet}`;
    }
    for (const attribute of node['attributes'] as Node[]) visitAttribute(node, attribute, this.#context);
    this.#text += `<${number}>`;
    const inner = this.add(nodes).join('');
    this.#text += `</${number}>`;
    const rich = need('Rich');
    const body = inner ? `<${rich} parts={inner}>${inner}</${rich}>` : '{inner}';
    edits.take(first.start, last.end);
    const [opening, closing] = [edits.take(node.start, first.start), edits.take(last.end, node.end)];
    return `{#snippet t${number}(inner)}${opening}${body}${closing}{/snippet}`;
  }

  #given(): [key: string, values: string] {
    const key = this.#text.trim();
    const values = this.#values.map((value, index) => `${index}: ${value}`).join(', ');
    return [
      this.#context.compiling.use(key, { english: withoutContext(key), values: this.#values }),
      values && `{ ${values} }`,
    ];
  }

  /** As an expression, where it has no elements. */
  code(): string {
    const [key, values] = this.#given();
    return `${this.#context.need('say')}(${values ? `${key}, ${values}` : key})`;
  }

  markup(tags: string): string {
    const [key, values] = this.#given();
    const rich = this.#context.need('Rich');
    return `<${rich} text={${key}}${values && ` values={${values}}`}>${tags}</${rich}>`;
  }
}
