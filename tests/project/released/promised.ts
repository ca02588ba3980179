// What a release promises to those who build on it, one line each: the API, environment variables, commands and the snippet's settings. A line
// that ends with "required" demands something. A later version of the same major version keeps all other lines, and demands nothing new.
// node tests/project/released/promised.ts VERSION: writes the lines of a release.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { describeApi } from '../../../server/api/rest/openapi.ts';
import { environment } from '../../../server/config.ts';
import { COMMANDS } from '../../../server/operator/manage.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Content = { content?: Record<string, { schema?: Schema }> };
type Operation = {
  parameters?: ({ name: string; required?: boolean; schema?: Schema } & Content)[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
};
type Api = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

export const REQUIRED = ' required';

/** The lines of what a schema allows (`isAsked`), or of what an answer has. A schema within itself is followed once. */
function linesOf(api: Api, root: Schema, start: string, isAsked: boolean): string[] {
  const lines: string[] = [];
  const walk = (schema: Schema, path: string, above: readonly string[]): void => {
    if (schema.$ref) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      const known = api.components.schemas[name];
      if (known && !above.includes(name)) walk(known, path, [...above, name]);
      return;
    }
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      walk(one, path, above);
    for (const type of [schema.type ?? []].flat()) lines.push(`${path}: ${type}`);
    for (const value of schema.enum ?? ('const' in schema ? [schema.const] : []))
      lines.push(`${path} = ${String(value)}`);
    for (const [name, one] of Object.entries(schema.properties ?? {})) walk(one, `${path}.${name}`, above);
    for (const name of schema.required ?? []) lines.push(`${path}.${name}${isAsked ? REQUIRED : ' always'}`);
    if (schema.items) walk(schema.items, `${path}[]`, above);
    if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, `${path}.*`, above);
    for (const one of Object.values(schema.patternProperties ?? {})) walk(one, `${path}.*`, above);
  };
  walk(root, start, []);
  return lines;
}

function linesOfApi(): string[] {
  const api = describeApi('') as unknown as Api;
  const schemaIn = ({ content }: Content) => Object.entries(content ?? {});
  return Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody, responses }]) => {
      const start = `api ${method.toUpperCase()} ${path}`;
      return [
        start,
        ...parameters.flatMap(({ name, required, schema = {}, ...parameter }) => [
          `${start} ?${name}`,
          ...linesOf(api, schema, `${start} ?${name}`, true),
          ...schemaIn(parameter).flatMap(([, one]) => linesOf(api, one.schema ?? {}, `${start} ?${name}`, true)),
          ...(required ? [`${start} ?${name}${REQUIRED}`] : []),
        ]),
        ...schemaIn(requestBody ?? {}).flatMap(([, { schema = {} }]) => linesOf(api, schema, `${start} body`, true)),
        ...Object.entries(responses).flatMap(([status, response]) => [
          `${start} ${status}`,
          ...schemaIn(response).flatMap(([type, { schema = {} }]) => [
            `${start} ${status} ${type}`,
            ...linesOf(api, schema, `${start} ${status}`, false),
          ]),
        ]),
      ];
    }),
  );
}

const isNeeded = (schema: z.ZodType) => !schema.safeParse(undefined).success;

const linesOfEnvironment = () =>
  Object.entries(environment.shape).flatMap(([name, schema]) => [
    'environment',
    `environment ${name}`,
    ...(isNeeded(schema) ? [`environment ${name}${REQUIRED}`] : []),
  ]);

const linesOfCommands = () =>
  COMMANDS.flatMap(({ name, positionals, options }) => [
    `manage ${name}`,
    ...(positionals.length > 0 ? [`manage ${name} (${positionals.join(' ')})`] : []),
    ...Object.entries(options.shape as Record<string, z.ZodType>).flatMap(([option, schema]) => {
      const written = `manage ${name} ${positionals.includes(option) ? option.toUpperCase() : `--${option}`}`;
      return isNeeded(schema) ? [written, written + REQUIRED] : [written];
    }),
  ]);

/** The attributes that the tracker's page describes. */
const linesOfSnippet = () =>
  [...readFileSync(join(import.meta.dirname, '../../../tracker/README.md'), 'utf8').matchAll(/`(data-[\w-]+)/g)].map(
    ([, attribute]) => `snippet ${attribute}`,
  );

export const promised = (): string[] =>
  [...new Set([...linesOfApi(), ...linesOfEnvironment(), ...linesOfCommands(), ...linesOfSnippet()])].sort();

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(import.meta.dirname, `${process.argv[2]}.txt`), `${promised().join('\n')}\n`);
