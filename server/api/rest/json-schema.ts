// Describes the schemas of requests and answers as JSON Schema 2020-12: the dialect of OpenAPI 3.1 and of the tools of assistants.
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** `input` describes what is sent: fields with a default are optional. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => tidy(jsonSchema) });
  return json;
}

/** Removes bounds and patterns that only repeat the type. */
function tidy(json: Json): void {
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['format'] === 'date' || json['format'] === 'date-time') delete json['pattern'];
}
