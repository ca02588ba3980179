// `node tests/mutations.ts [FILE…]`: changes one comparison or number at a time, in files whose boundaries matter, and runs the tests that
// should notice. It prints what each change led to, and ends with 1 if no test noticed one of them. Each change takes a few seconds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const DISCLOSURE = 'server/stats/disclosure';
const WHOLE_OF_DISCLOSURE = [
  'tests/stats/disclosure/disclosure.test.ts',
  'tests/stats/disclosure/disclosure-stories.test.ts',
];
const OF_DISCLOSURE = readdirSync(join(root, DISCLOSURE))
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => join(DISCLOSURE, file));

/** The tests that hold each file, the fastest first. */
const TESTS: Record<string, readonly string[]> = {
  'server/queue/writer/settle-order.ts': ['server/queue/writer/settle-order.test.ts', 'tests/queue/payments.test.ts'],
  'server/vocabulary/settings/privacy.ts': [`${DISCLOSURE}/cell-key.test.ts`, ...WHOLE_OF_DISCLOSURE],
  'server/vocabulary/accounts/plans.ts': [
    'server/accounts/billing/plans.test.ts',
    'src/lib/account/notices/plan-notice.test.ts',
  ],
  'server/accounts/billing/plans.ts': ['server/accounts/billing/plans.test.ts', 'tests/accounts/plans.test.ts'],
  'server/accounts/sign-in/factors/second-factor.ts': ['tests/accounts/second-factor.test.ts'],
  'server/sites/access.ts': ['tests/sites/site-access.test.ts', 'tests/security/access.test.ts'],
  'server/sites/left-out.ts': ['server/collect/left-out.test.ts', 'tests/collect/left-out.test.ts'],
  'server/collect/left-out.ts': ['server/collect/left-out.test.ts', 'tests/collect/left-out.test.ts'],
  'server/sites/salts.ts': ['tests/sites/salts.test.ts'],
  'server/api/wrong-tokens.ts': ['tests/api/wrong-tokens.test.ts'],
  ...Object.fromEntries(OF_DISCLOSURE.map((file) => [file, [file.replace('.ts', '.test.ts'), ...WHOLE_OF_DISCLOSURE]])),
  ...Object.fromEntries(
    ['rare-sql', 'joined-values'].map((name) => [
      `${DISCLOSURE}/${name}.ts`,
      ['tests/stats/disclosure/rare-days.test.ts', ...WHOLE_OF_DISCLOSURE],
    ]),
  ),
};

/** Changes that nobody can observe. `text`: the changed line. */
const EQUIVALENT: readonly { file: string; text: string; why: string }[] = [
  {
    file: 'server/stats/disclosure/rare-sql.ts',
    text: 'const several = groups.filter(({ from, to }) => to - from >= DAY_MS);',
    why: 'a day that is a group by itself starts where its group does',
  },
  {
    file: 'server/accounts/sign-in/factors/second-factor.ts',
    text: 'const row = { secret: encryption.encrypt(secret, userId), last_step: 1, confirmed_at: null, created_at: now };',
    why: 'the first code sets it, and it is not read before',
  },
  {
    file: 'server/collect/left-out.ts',
    text: 'isOwn: (address) => own.size >= 0 && own.has(networkHash(key, address)),',
    why: 'the size only spares the hash: a set of nothing has none',
  },
];

const NEIGHBOURS: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
};
/** Far longer than the tests of a file take: a change can lead to a loop without an end. */
const HANGS_MS = 120_000;

type Mutation = { line: number; from: string; to: string; text: string; source: string };

/** What a token is replaced by: nothing for most. */
function replacementsOf(node: ts.Node): string[] {
  if (ts.isBigIntLiteral(node)) return [`${BigInt(node.text.slice(0, -1)) + 1n}n`];
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    return [value + 1, ...(value >= 1 ? [value - 1] : [])].map(String);
  }
  const isOperator = ts.isBinaryExpression(node.parent) && node === node.parent.operatorToken;
  const neighbour = isOperator ? NEIGHBOURS[node.kind] : undefined;
  return neighbour === undefined ? [] : [neighbour];
}

function mutationsOf(file: string, source: string): Mutation[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    const [start, end] = [node.getStart(), node.getEnd()];
    const line = parsed.getLineAndCharacterOfPosition(start).line;
    if (node.parent)
      for (const to of replacementsOf(node)) {
        const changed = source.slice(0, start) + to + source.slice(end);
        const text = (changed.split('\n')[line] ?? '').trim();
        found.push({ line: line + 1, from: source.slice(start, end), to, text, source: changed });
      }
    node.forEachChild(visit);
  };
  visit(parsed);
  return found;
}

let restore = (): void => undefined;
let running: ChildProcess | undefined;
/** With the processes that it started, which one in an endless loop would leave behind. */
function stop(signal: NodeJS.Signals): void {
  if (running?.pid) process.kill(-running.pid, signal);
}
process.on('exit', () => restore());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stop(signal);
    process.exit(1);
  });

async function passes(test: string): Promise<boolean> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--retry=0', '--bail=1', '--reporter=dot', test];
  const env = { ...process.env, UV_THREADPOOL_SIZE: '24' };
  running = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore', detached: true });
  const timer = setTimeout(stop, HANGS_MS, 'SIGKILL');
  const [code] = (await once(running, 'exit')) as [number | null];
  clearTimeout(timer);
  running = undefined;
  return code === 0;
}

/** Returns the first test that fails; undefined if all pass. */
async function failing(tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) if (!(await passes(test))) return test;
  return undefined;
}

const outcomeOf = (killer: string | undefined) => (killer ? 'killed' : 'survived');

async function mutate(file: string, tests: readonly string[]) {
  const before = await failing(tests);
  if (before) throw new Error(`${before} fails without a change: repair it first.`);
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  const counts = { file, mutations: 0, killed: 0, equivalent: 0, survived: 0 };
  restore = () => writeFileSync(path, source);
  for (const mutation of mutationsOf(file, source)) {
    const known = EQUIVALENT.find((one) => one.file === file && one.text === mutation.text);
    writeFileSync(path, mutation.source);
    const killer = known ? undefined : await failing(tests);
    const outcome = known ? 'equivalent' : outcomeOf(killer);
    counts.mutations += 1;
    counts[outcome] += 1;
    const by = known?.why ?? killer ?? mutation.text;
    console.log(`${file}:${mutation.line}, ${mutation.from} → ${mutation.to}: ${outcome} (${by})`);
  }
  restore();
  restore = () => undefined;
  return counts;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((file) => !TESTS[file]);
if (unknown.length > 0) throw new Error(`No tests are listed for ${unknown.join(', ')}.`);
const table: Awaited<ReturnType<typeof mutate>>[] = [];
for (const [file, tests] of Object.entries(TESTS))
  if (asked.length === 0 || asked.includes(file)) table.push(await mutate(file, tests));
console.table(table);
process.exitCode = table.some(({ survived }) => survived > 0) ? 1 : 0;
