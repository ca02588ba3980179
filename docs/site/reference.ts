// The API's reference as Markdown, from the same description that the server answers as /v1/openapi.json.
import { describeApi } from '../../server/api/rest/openapi.ts';

type Schema = {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
};
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };
type Content = { content?: Record<string, { schema?: Schema; example?: unknown }> };
type Operation = {
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Description = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
};

export function writeReference(): string {
  const { info, tags, paths } = describeApi('') as Description;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const parts = tags.map(({ name, description }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    return [`## ${name}`, `${description}.`, ...own.map((one) => describe(one.name, one.operation))].join('\n\n');
  });
  const top = `# API reference\n\nA running server lets you try each request at \`/docs\`, and describes itself to programs at \`/v1/openapi.json\`.`;
  return [top, info.description, ...parts].join('\n\n');
}

function describe(name: string, { summary, description, parameters = [], requestBody, responses }: Operation): string {
  const { schema: body } = contentOf(requestBody) ?? {};
  const fields = Object.entries(body?.properties ?? {}).map(([field, schema]) => ({
    name: field,
    required: body?.required?.includes(field),
    description: schema.description,
    schema,
  }));
  const [text = '', ...samples] = (description ?? '').split(/(?=<details)/);
  const answer = Object.entries(responses).flatMap(([status, response]) => {
    const example = contentOf(response)?.example;
    return /^2/.test(status) && example !== undefined ? [exampleOf(`Answer ${status}`, example)] : [];
  });
  return [
    `### ${name}`,
    `**${summary}.** ${text}`.trim(),
    tableOf('parameter', parameters),
    tableOf('field of the body', fields),
    ...samples.map((sample) => sample.replace('<details open>', '<details>').trim()),
    ...answer,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const contentOf = (content: Content | undefined) => Object.values(content?.content ?? {})[0];

const exampleOf = (title: string, example: unknown): string =>
  `<details><summary>${title}</summary>\n\n\`\`\`json\n${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}\n\`\`\`\n\n</details>`;

type Row = { name: string; required?: boolean | undefined; description?: string | undefined; schema?: Schema };

function tableOf(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ name, required, description = '', schema }) => {
    const says = [required ? 'Required.' : '', description, valuesOf(schema)].filter((part) => part !== '').join(' ');
    return `| \`${name}\` | ${says.replaceAll('|', '\\|').replace(/\s+/g, ' ')} |`;
  });
  return [`| ${title} | what it is |`, '| --- | --- |', ...lines].join('\n');
}

/** Parameters that hold JSON have no schema of their own. */
function valuesOf({ enum: values, default: usual, minimum, maximum }: Schema = {}): string {
  const code = (value: unknown) => `\`${String(value)}\``;
  const allowed = values ? `One of ${values.map(code).join(', ')}.` : '';
  const range = minimum !== undefined && maximum !== undefined ? `From ${minimum} to ${maximum}.` : '';
  return [allowed, range, usual === undefined ? '' : `Default: ${code(usual)}.`]
    .filter((part) => part !== '')
    .join(' ');
}
