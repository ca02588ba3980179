// The tools of assistants: one for each operation of `/v1` that reads, generated from the same table. Operations that write are left out.
import { z } from 'zod';
import { readArguments } from '../rest/params.ts';
import { type Json, jsonSchemaOf } from '../rest/json-schema.ts';
import { type Operation, OPERATIONS } from '../rest/operations.ts';

type Tool = {
  name: string;
  operation: Operation;
  /** Checks the arguments. Throws the same bad_request as `/v1`. */
  read(given: Record<string, unknown>): Record<string, unknown>;
};

/** An operation that reads: its method is GET. A file is nothing for an assistant. */
const READING = Object.entries(OPERATIONS).flatMap(([path, { GET }]) =>
  GET && !GET.media ? [{ path, operation: GET }] : [],
);

/** Keyed by name: `get_stats` is the operation `getStats`. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  READING.map(({ operation }) => {
    const schema = argumentsOf(operation);
    const name = nameOf(operation);
    return [name, { name, operation, read: (given: Record<string, unknown>) => readArguments(given, schema) }];
  }),
);

function nameOf({ id }: Operation): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The parameters of path and query together. */
function argumentsOf({ path, query }: Operation) {
  return z.strictObject({ ...path.shape, ...query.shape });
}

/** Describes the tools in the protocol's terms. Always the same, because the table never changes. */
export function describeTools() {
  return [...TOOLS.values()].map(({ name, operation }) => ({
    name,
    title: operation.summary,
    description: asTools(`${operation.summary}. ${operation.description}`),
    inputSchema: described(jsonSchemaOf(argumentsOf(operation), 'input')),
    outputSchema: described(jsonSchemaOf(operation.answer, 'output')),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }));
}

/** The protocol requires objects at the top. */
function described(schema: Json): Json & { type: 'object' } {
  const json = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? asTools(value) : value,
  ) as Json;
  return { ...json, type: 'object' };
}

/** Puts a sentence about addresses into terms of tools: `GET /v1/sites` is `list_sites`, and filters are an object. */
function asTools(sentence: string): string {
  return READING.reduce(
    (text, { path, operation }) => text.replaceAll(`\`GET ${path}\``, `\`${nameOf(operation)}\``),
    sentence,
  )
    .replace(/`filter\[(\w+)\]=([^`]+)`/g, '`{ "filter": { "$1": "$2" } }`')
    .replace(/`filter\[(\w+)\]`/g, 'a filter by `$1`')
    .replace('Comma-separated metrics', 'A list of metrics');
}
