// Stops a program in the middle of what it does, so that a test can kill it there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { type KyselyPlugin, type OperationNode, type RootOperationNode, TableNode } from 'kysely';

/** The `nth` statement of a kind on a table, counted from 1. It is never carried out. */
export type Point = readonly [kind: 'insert' | 'update' | 'delete', table: string, nth: number];

const KINDS: Partial<Record<RootOperationNode['kind'], Point[0]>> = {
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
};

function tableOf(node: RootOperationNode): string | undefined {
  if (node.kind === 'InsertQueryNode') return nameOf(node.into);
  if (node.kind === 'DeleteQueryNode') return nameOf(node.from.froms[0]);
  return node.kind === 'UpdateQueryNode' ? nameOf(node.table) : undefined;
}

const nameOf = (table: OperationNode | undefined) =>
  table && TableNode.is(table) ? table.table.identifier.name : undefined;

/** Says so, and stops the whole process. */
export function stopAt([kind, table, nth]: Point): KyselyPlugin {
  let seen = 0;
  return {
    transformQuery: ({ node }) => {
      if (KINDS[node.kind] === kind && tableOf(node) === table) seen += 1;
      if (seen === nth) {
        writeSync(1, 'stopped\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

/** Runs a program of this folder until `stopAt` stops it, or until it ends. */
export async function startStopped(program: string, input: object) {
  const file = new URL(program, import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [file, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const said = await Promise.race([once(child.stdout ?? child, 'data'), exited]);
  return { kill, isStopped: String(said[0]) === 'stopped\n', [Symbol.asyncDispose]: kill };
}
