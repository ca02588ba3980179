// Messages in scripts: the calls of t, tn, texts and textsOf.
import { keyOfForms, withoutContext } from '../../server/vocabulary/habits/messages.ts';
import type { Edits } from './edits.ts';
import { childrenOf, CompileError, type Compiling, isNode, type Node } from './found.ts';

const HOME = /habits\/messages(\.ts)?$/;
const FUNCTIONS = /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/;
const WRAPPERS = /^(TSSatisfiesExpression|TSAsExpression|ParenthesizedExpression)$/;

type Call = Node & { callee: Node; arguments: Node[] };
/** Whether what is walked runs again when the language changes: functions do, and what Svelte derives. */
type Place = { isLive: boolean };

/** The local names of what a program imports from messages.ts. */
export function importedBy(program: Node): Map<string, string> {
  const names = new Map<string, string>();
  for (const node of (program['body'] as Node[]).filter(({ type }) => type === 'ImportDeclaration')) {
    if (!HOME.test(String((node['source'] as Node)['value']))) continue;
    for (const one of node['specifiers'] as Node[])
      names.set(String((one['local'] as Node)['name']), String((one['imported'] as Node | undefined)?.['name']));
  }
  return names;
}

/** The text of a literal without values. */
export function literalOf(node: Node | undefined): string | undefined {
  if (!node) return undefined;
  if (WRAPPERS.test(node.type)) return literalOf(node['expression'] as Node);
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  const quasis = node['quasis'] as Node[] | undefined;
  return node.type === 'TemplateLiteral' && quasis?.length === 1
    ? (quasis[0]?.['value'] as { cooked: string }).cooked
    : undefined;
}

export function compileScript(
  root: Node,
  { names, edits, compiling }: { names: ReadonlyMap<string, string>; edits: Edits; compiling: Compiling },
  place: Place = { isLive: false },
): void {
  const fail = (node: Node, why: string): never => {
    throw new CompileError(why, { file: compiling.file, source: edits.source, at: node.start });
  };

  function text(node: Node): void {
    const found = literalOf(node);
    if (found === undefined) return void fail(node, 'a text that is translated is a plain literal');
    edits.replace(node.start, node.end, compiling.use(found, { english: withoutContext(found), values: [] }));
  }

  function counted([, one, other]: Node[], call: Node): void {
    const forms = { one: literalOf(one) ?? '', other: literalOf(other) ?? '' };
    if (!one || !other || !forms.one || !forms.other) return void fail(call, 'tn takes a count and two plain literals');
    const key = compiling.use(keyOfForms(forms.one, forms.other), { english: forms, values: [] });
    if (!compiling.isNumbered) return;
    edits.replace(one.start, one.end, key);
    edits.replace(other.start, other.end, `''`);
  }

  /** `isText`: whether a property of this name is a text. */
  function table(node: Node, isText: (name: string) => boolean, isWithin = false): void {
    if (WRAPPERS.test(node.type)) return table(node['expression'] as Node, isText, isWithin);
    if (node.type === 'ObjectExpression')
      for (const property of node['properties'] as Node[]) {
        if (property.type !== 'Property' && property.type !== 'ObjectProperty') continue;
        const key = property['key'] as Node;
        const name = String(key['name'] ?? key['value']);
        cell(property['value'] as Node, isText(name), isText);
      }
    else if (node.type === 'ArrayExpression')
      for (const element of (node['elements'] as (Node | null)[]).filter(isNode))
        cell(element, isWithin || isText(''), isText);
  }

  function cell(value: Node, isOne: boolean, isText: (name: string) => boolean): void {
    const inner = WRAPPERS.test(value.type) ? (value['expression'] as Node) : value;
    if (inner.type === 'ObjectExpression') table(inner, isText);
    else if (inner.type === 'ArrayExpression') table(inner, isText, isOne);
    else if (isOne && literalOf(inner) !== undefined) text(inner);
    else if (isOne && inner.type === 'TemplateLiteral') fail(inner, 'a text of a table is a plain literal');
  }

  function namesOf(node: Node | undefined): string[] {
    const elements = (node?.['elements'] as Node[] | undefined) ?? [];
    return elements.map((one) => literalOf(one) ?? fail(one, 'the names of texts are plain literals'));
  }

  function call(node: Call, at: Place): void {
    const { arguments: given } = node;
    const name = names.get(String(node.callee['name']));
    if (name === undefined) return;
    const [first, second] = given;
    if ((name === 't' || name === 'tn') && !at.isLive)
      fail(
        node,
        `${name}() runs once here, and would not follow the reader's language: use texts(), $derived or a function`,
      );
    if ((name === 't' || name === 'message') && first) text(first);
    if (name === 'tn') counted(given, node);
    if (name === 'texts' && first) table(first, () => true);
    if (name === 'textsOf' && second) {
      const known = namesOf(first);
      table(second, (one) => known.includes(one));
    }
    if (compiling.isNumbered && name.startsWith('texts')) edits.insert(node.start, '/* @__PURE__ */ ');
  }

  function walk(node: Node, at: Place): void {
    const isCall = node.type === 'CallExpression';
    const isLive = at.isLive || FUNCTIONS.test(node.type) || (isCall && isDerived((node as Call).callee));
    if (isCall) call(node as Call, at);
    for (const child of childrenOf(node)) walk(child, { isLive });
  }
  walk(root, place);
}

const isDerived = ({ name, object }: Node): boolean =>
  name === '$derived' || (isNode(object) && object['name'] === '$derived');
