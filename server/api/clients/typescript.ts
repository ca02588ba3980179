// Writes the types and the table of operations of `footfall/api`: `tracker/api/operations.ts`.
import { type DescribedOperation, describedApi, type Schema } from './described.ts';

export function typescriptOperations(command: string): string {
  const { operations, schemas } = describedApi();
  const types = Object.entries(schemas).filter(([name]) => name !== 'Error'); // errors are thrown
  return [
    `// The operations of the API, with the types of what is sent and answered.\n// Generated from the OpenAPI document by \`${command}\`; do not edit.`,
    ...types.map(([name, schema]) => `type ${name} = ${typeOf(schema)};`),
    `export type Operations = {\n${operations.map(typeOfOperation).join('\n')}\n};`,
    `/** Method and path of each operation. */\nexport const OPERATIONS = {\n${operations.map(rowOf).join('\n')}\n} as const;`,
  ].join('\n\n');
}

function typeOfOperation({ id, summary, fields, answer }: DescribedOperation): string {
  const sent = fields.map(({ name, schema, isRequired, description }) =>
    member({ name, type: typeOf(schema), isRequired, description }),
  );
  return `/** ${summary}. */\n${id}: { sent: { ${sent.join('\n')} }; answer: ${answer ? typeOf(answer) : 'Uint8Array'} };`;
}

function rowOf({ id, method, path, answer }: DescribedOperation): string {
  const file = answer ? '' : ', isFile: true';
  return `${id}: { method: '${method}', path: '${path}'${file} },`;
}

type Member = { name: string; type: string; isRequired: boolean; description: string | undefined };

function member({ name, type, isRequired, description }: Member): string {
  const comment = description === undefined ? '' : `\n/** ${description.replaceAll('*/', '* /')} */\n`;
  return `${comment}${JSON.stringify(name)}${isRequired ? `: ${type}` : `?: ${type} | undefined`};`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return typeOfObject(schema);
  if (schema.type === 'integer') return 'number';
  return schema.type ?? 'unknown';
}

function typeOfObject({ properties, required = [], additionalProperties, patternProperties = {} }: Schema): string {
  if (!properties) {
    const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `Record<string, ${others}>`;
  }
  const named = Object.entries(properties).map(([name, schema]) =>
    member({ name, type: typeOf(schema), isRequired: required.includes(name), description: schema.description }),
  );
  // Such as `^prop:`, whose names no named property has.
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => `[name: \`${/^\^(\w+:)/.exec(pattern)?.[1] ?? ''}\${string}\`]: ${typeOf(schema)};`,
  );
  return `{ ${[...named, ...patterns].join('\n')} }`;
}
