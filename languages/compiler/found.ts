// What the compiler finds in a file, and what it writes in its place.

/** A message by its key: the English text, or both forms of one that counts (`keyOfForms`). */
export type Found = {
  /** Its text in English: the key itself, or the forms by category. */
  english: string | { one: string; other: string };
  /** What stands in its places `{0}`, as the source has it: translators see it. */
  values: string[];
};

export type Compiling = {
  file: string;
  /** Notes a message, and answers the expression for it: a number in the build, its text otherwise. */
  use(key: string, found: Found): string;
  /** Whether keys become numbers. */
  isNumbered: boolean;
};

/** A node of an ESTree or of Svelte's tree: both have kinds that nobody lists. */
export type Node = { type: string; start: number; end: number } & { readonly [name: string]: unknown };

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** The nodes right below. */
export function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'parent' || name === 'metadata' || name === 'loc') return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

export class CompileError extends Error {
  constructor(message: string, { file, source, at }: { file: string; source: string; at: number }) {
    super(`${file}:${source.slice(0, at).split('\n').length}: ${message}`);
  }
}
