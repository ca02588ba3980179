// What the generators of clients read of the OpenAPI document: one row for each operation.
import { describeApi } from '../rest/openapi.ts';

/** A schema, as far as the document uses JSON Schema. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  description?: string;
};

type Field = { name: string; schema: Schema; isRequired: boolean; description: string | undefined };

export type DescribedOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Parameters of the path and the query, or the fields of the body, in the order of the document: those that are required first. */
  fields: Field[];
  hasBody: boolean;
  takesIdempotencyKey: boolean;
  /** The schema of the answer; undefined for a file. */
  answer: Schema | undefined;
};

type Content = Record<string, { schema: Schema }>;
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema?: Schema;
  content?: Content;
};
type Described = {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
};

export function describedApi(): { operations: DescribedOperation[]; schemas: Record<string, Schema> } {
  const document = describeApi('') as unknown as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.entries(document.paths).flatMap(([path, row]) =>
    Object.entries(row).map(([method, described]) => rowOf({ path, method: method.toUpperCase(), described })),
  );
  return { operations, schemas: document.components.schemas };
}

function rowOf({
  path,
  method,
  described,
}: {
  path: string;
  method: string;
  described: Described;
}): DescribedOperation {
  const { operationId, summary, parameters = [], requestBody, responses } = described;
  const body = requestBody?.content['application/json']?.schema;
  const fields = body ? fieldsOf(body) : parameters.filter((one) => one.in !== 'header').map(toField);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  return {
    id: operationId,
    method,
    path,
    summary,
    fields: fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)),
    hasBody: body !== undefined,
    takesIdempotencyKey: parameters.some((one) => one.in === 'header'),
    answer: success?.[1].content['application/json']?.schema,
  };
}

function toField({ name, required, description, schema, content }: Parameter): Field {
  return { name, schema: schema ?? content?.['application/json']?.schema ?? {}, isRequired: required, description };
}

function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    description: schema.description,
  }));
}
