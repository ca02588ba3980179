// The one-line changes ("mutants") that a source file can have, found in its syntax tree.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { openWords } from '../setup/api/random.ts';

/** `to` replaces the text from `start` to `end`. `text` is the line after the change, by which EQUIVALENT knows it. */
export type Change = {
  file: string;
  kind: string;
  start: number;
  end: number;
  line: number;
  from: string;
  to: string;
  text: string;
  /** The statement of the file in which it is: its words lead to the tests. */
  around: string;
};
type Replacement = { kind: string; node: ts.Node; to: string };

const K = ts.SyntaxKind;
const OPERATORS: Partial<Record<ts.SyntaxKind, { kind: string; to: string }>> = {
  [K.LessThanToken]: { kind: 'comparison', to: '<=' },
  [K.LessThanEqualsToken]: { kind: 'comparison', to: '<' },
  [K.GreaterThanToken]: { kind: 'comparison', to: '>=' },
  [K.GreaterThanEqualsToken]: { kind: 'comparison', to: '>' },
  [K.EqualsEqualsEqualsToken]: { kind: 'comparison', to: '!==' },
  [K.ExclamationEqualsEqualsToken]: { kind: 'comparison', to: '===' },
  [K.AmpersandAmpersandToken]: { kind: 'and, or', to: '||' },
  [K.BarBarToken]: { kind: 'and, or', to: '&&' },
  [K.PlusToken]: { kind: 'arithmetic', to: '-' },
  [K.MinusToken]: { kind: 'arithmetic', to: '+' },
  [K.AsteriskToken]: { kind: 'arithmetic', to: '/' },
  [K.SlashToken]: { kind: 'arithmetic', to: '*' },
};

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)));
/** Types, imports, and what is said to operators and developers: no test should hold these. */
const isIgnored = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  (ts.isCallExpression(node) && /^(\w+\.)*(log|console)\.\w+$/.test(node.expression.getText())) ||
  (ts.isNewExpression(node) && node.expression.getText() === 'Error');

function ofOperator(node: ts.BinaryExpression): Replacement[] {
  const { left, operatorToken: operator, right } = node;
  const found = OPERATORS[operator.kind];
  if (found && !isText(node)) return [{ ...found, node: operator }];
  if (operator.kind !== K.QuestionQuestionToken) return [];
  return [
    { kind: 'fall-back', node, to: right.getText() },
    // An index always has a fall-back, to satisfy the compiler.
    ...(ts.isElementAccessExpression(left) ? [] : [{ kind: 'fall-back', node, to: left.getText() }]),
  ];
}

const negated = (node: ts.Expression): Replacement[] => [{ kind: 'negated', node, to: `!(${node.getText()})` }];

/** What a node is replaced by: nothing for most. */
function replacementsOf(node: ts.Node): Replacement[] {
  if (ts.isBigIntLiteral(node)) return [{ kind: 'number', node, to: `${BigInt(node.text.slice(0, -1)) + 1n}n` }];
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    return [value + 1, ...(value >= 1 ? [value - 1] : [])].map((to) => ({ kind: 'number', node, to: String(to) }));
  }
  if (node.kind === K.TrueKeyword) return [{ kind: 'boolean', node, to: 'false' }];
  if (node.kind === K.FalseKeyword) return [{ kind: 'boolean', node, to: 'true' }];
  if (ts.isBinaryExpression(node)) return ofOperator(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken)
    return [{ kind: 'removed !', node, to: node.operand.getText() }];
  if (ts.isPropertyAccessChain(node) && node.questionDotToken)
    return [{ kind: 'optional', node: node.questionDotToken, to: '.' }];
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    const call =
      ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
    const isRemovable = ts.isCallExpression(call) && call.expression.kind !== K.SuperKeyword && !isIgnored(call);
    return isRemovable ? [{ kind: 'removed call', node, to: ';' }] : [];
  }
  if (ts.isIfStatement(node)) return negated(node.expression);
  return ts.isConditionalExpression(node) ? negated(node.condition) : [];
}

export function changesOf(file: string, source: string): Change[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lines = source.split('\n');
  const found: Change[] = [];
  const visit = (node: ts.Node, around: string): void => {
    if (isIgnored(node)) return;
    for (const { kind, node: changed, to } of replacementsOf(node)) {
      const [start, end] = [changed.getStart(), changed.getEnd()];
      const { line, character } = parsed.getLineAndCharacterOfPosition(start);
      const from = source.slice(start, end);
      const text = ((lines[line] ?? '').slice(0, character) + to + source.slice(end).split('\n', 1)[0]).trim();
      found.push({ file, kind, start, end, line: line + 1, from, to, text, around });
    }
    node.forEachChild((child) => visit(child, around));
  };
  for (const statement of parsed.statements) visit(statement, statement.getText());
  return found;
}

export const changed = ({ start, end, to }: Change, source: string): string =>
  source.slice(0, start) + to + source.slice(end);

/** A waiting time or a size in memory: nobody can tell one more from one less. */
const isPace = ({ kind, text }: Change) =>
  kind === 'number' && /(MS|_S|BYTES|_LENGTH|Ms|Mb|Bytes|Seconds|setTimeout)\b.*\d/.test(text);

/** `server/stats`, `src/lib/charts`, `tracker`. */
const roomOf = (file: string) => {
  const parts = file.split('/').slice(0, -1);
  return parts.slice(0, parts[0] === 'src' ? 3 : 2).join('/');
};

/**
 * Draws places: first a room, whose share grows with the square root of its files, so that a small one has a share; then one of its files, a kind
 * of change and a place. No place is drawn twice.
 */
export function draw(files: readonly string[], { seed, count }: { seed: number; count: number }): Change[] {
  const word = openWords(seed);
  const random = () => word() / 2 ** 32;
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const changes = new Map(
    files.map((file) => [file, changesOf(file, readFileSync(file, 'utf8')).filter((change) => !isPace(change))]),
  );
  const rooms = Object.values(
    Object.groupBy(
      files.filter((file) => changes.get(file)?.length),
      roomOf,
    ),
  ).flatMap((room) => (room ? [room] : []));
  const total = rooms.reduce((sum, room) => sum + Math.sqrt(room.length), 0);
  const drawn: Change[] = [];
  while (drawn.length < count) {
    let left = random() * total;
    const room = rooms.find((one) => (left -= Math.sqrt(one.length)) < 0) ?? oneOf(rooms);
    const kinds = Object.values(Object.groupBy(changes.get(oneOf(room)) ?? [], ({ kind }) => kind));
    const change = oneOf(oneOf(kinds) ?? []);
    if (!drawn.some(({ file, start }) => file === change.file && start === change.start)) drawn.push(change);
  }
  return drawn;
}
