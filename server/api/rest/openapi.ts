// The OpenAPI 3.1 document. It is generated from the table of operations, so it always matches what the API checks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { REFUSALS, Refusal, type RefusalCode } from '../../errors.ts';
import { isRead } from '../../process/http/respond.ts';
import { describeAssistants } from '../mcp/guide.ts';
import { describeWebhooks } from '../pages/webhook-guide.ts';
import { etagOf, isKnownTag } from './answer-cache.ts';
import { idempotencyKey } from './requests.ts';
import { type Language, LANGUAGES, SAMPLE_BASE, samplesOf } from './samples.ts';
import { FUNNEL, GROUP, SHARE_LINK, SITE } from './examples.ts';
import { error } from './responses.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { type Method, METHODS, type Operation, OPERATIONS } from './operations.ts';

/** An example of each error. `of` limits it to operations with a body, with any input, or with a site. */
const ERRORS: Partial<Record<RefusalCode, { when: string; message: string; of?: 'body' | 'site' | 'input' }>> = {
  bad_request: {
    when: 'A parameter or field is missing, malformed, unknown, empty or given twice.',
    message: 'period: must be one of today, 7d, 30d, custom.',
  },
  unauthorized: {
    when: 'The API key is missing or invalid.',
    message:
      'Send a valid API key in the header `Authorization: Bearer KEY`. Create one in the dashboard, under Settings, API.',
  },
  forbidden: {
    when: 'The plan of the account does not include the API, or the request came over plain HTTP.',
    message: 'The plan of this account does not include the API, which is part of the Pro plan.',
  },
  not_found: {
    when: 'The account has no such site or funnel.',
    message: 'There is no such site in this account.',
    of: 'site',
  },
  method_not_allowed: {
    when: 'The path does not support the method. `Allow` lists the methods that it supports.',
    message: 'The method must be one of GET, HEAD, OPTIONS.',
  },
  payload_too_large: { when: 'The body is too large.', message: 'The body must be at most 32768 bytes.', of: 'body' },
  unsupported_media_type: {
    when: 'The body is not sent as JSON.',
    message: 'The content type must be application/json.',
    of: 'body',
  },
  too_many_requests: {
    when: 'The key exceeds a rate limit. Wait for `Retry-After` seconds, and longer each time it happens again.',
    message: 'This key has sent too many requests: wait, and send fewer.',
  },
  internal_server_error: {
    when: 'An error on our side. `X-Request-Id` identifies the request in the log.',
    message: 'Something went wrong on our side (request 6b1f6c5e-58f2-4f4b-9a53-6d7f0a2b9c11).',
  },
  service_unavailable: {
    when: 'A database is unavailable. Try again after `Retry-After` seconds.',
    message: 'Footfall cannot do this at the moment: try again in a few seconds.',
  },
};

const HEADERS = {
  'RateLimit-Limit': { description: 'Requests that the key may make per minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in this minute.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the full limit is available again.', schema: { type: 'integer' } },
  'X-Request-Id': {
    description: 'Identifies the request in the log.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } },
  Allow: { description: 'Methods that the path supports.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be cached.', schema: { type: 'string' } },
  ETag: {
    description: 'Send it back as `If-None-Match` to get 304 while the answer is unchanged.',
    schema: { type: 'string' },
  },
};
const ALWAYS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Request-Id'] as const;

const DESCRIPTION = `Footfall counts visitors without cookies. This API returns the numbers of the dashboard, and records events from your servers.

- Create a key in the dashboard under Settings, API, and send it with each request: \`Authorization: Bearer ff_…\`. The API is part of the Pro plan.
- Successful answers hold \`data\`, and sometimes \`meta\`, and \`previous\` where they are compared. Errors hold \`error\`, \`message\` and \`status\`.
- Days are UTC days. With \`timezone=site\` they are the days of the site, and the numbers are the same as in the dashboard and the CSV export.
- The dashboard writes requests for you: each list, chart, funnel and journey has a menu with “Copy as API request” and “Copy as MCP call”.
- A key may make 600 requests per minute and 50 per second, unless the operator has set other limits. Numbers change at most once a minute, so more frequent requests gain nothing.
- A parameter that is unknown, empty or given twice is refused.`;

export function describeApi(base: string): Json {
  const components: Json = {};
  schemaOf(error, 'output', components);
  const address = base.replace(/\/$/, '');
  const paths = describePaths({ components, base: address || SAMPLE_BASE });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Footfall API',
      version: '1',
      summary: 'Sites, stats and server-side events',
      description: `${DESCRIPTION}\n\n${describeWebhooks()}\n\n${describeAssistants(address || SAMPLE_BASE)}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address || '/' }],
    security: [{ key: [] }],
    tags: [
      { name: 'Sites', description: 'The sites of the account' },
      { name: 'Goals', description: 'Goals, funnels and segments of a site' },
      { name: 'Stats', description: 'The numbers of a site' },
      { name: 'Events', description: 'Recording events from servers' },
    ],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'ff_…', description: 'An API key of the account.' },
      },
      schemas: components,
      headers: HEADERS,
      responses: Object.fromEntries(Object.keys(ERRORS).map((code) => [code, describeError(code as RefusalCode)])),
    },
  };
}

function describePaths(written: Written): Json {
  const paths: Record<string, Json> = {};
  for (const [path, operations] of Object.entries(OPERATIONS)) {
    paths[path] = {};
    for (const method of METHODS) {
      const operation = operations[method];
      if (operation) paths[path][method.toLowerCase()] = describeOperation({ method, path, operation }, written);
    }
  }
  return paths;
}

type Written = { components: Json; base: string };
type Row = { method: Method; path: string; operation: Operation };

function describeOperation({ method, path, operation }: Row, { components, base }: Written): Json {
  const isStats = 'ask' in operation;
  const needsSite = operation.id !== 'listSites';
  const parameters = [
    ...parametersOf(operation.path, 'path'),
    ...parametersOf(operation.query, 'query'),
    ...(operation.takesKey ? parametersOf(z.object({ 'Idempotency-Key': idempotencyKey }), 'header') : []),
  ];
  const asked = { method, path: samplePath(path, operation), body: operation.body?.example, base };
  const samples = samplesOf({ ...asked, isText: operation.media !== undefined });
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${LANGUAGES.map((name) => describeSample(name, samples[name])).join('\n\n')}`,
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaOf(operation.body.schema, 'input'), example: operation.body.example },
        },
      },
    }),
    responses: {
      [operation.status]: {
        description: operation.status === 202 ? 'Received.' : 'The answer.',
        headers: headersOf(isStats ? ['ETag', 'Cache-Control'] : []),
        content: contentOf(operation, components),
      },
      ...(isStats && {
        304: {
          description: 'Not modified: the answer still has the ETag in `If-None-Match`.',
          headers: headersOf(['ETag', 'Cache-Control']),
        },
      }),
      ...Object.fromEntries(
        Object.entries(ERRORS)
          .filter(([, { of }]) => of === undefined || (of === 'body' ? operation.body !== undefined : needsSite))
          .map(([code]) => [REFUSALS[code as RefusalCode].status, { $ref: `#/components/responses/${code}` }]),
      ),
    },
    'x-codeSamples': LANGUAGES.map((name) => ({
      lang: name === 'curl' ? 'Shell' : name,
      label: name,
      source: samples[name],
    })),
  };
}

function contentOf({ media, answer, example }: Operation, components: Json): Json {
  if (!media) return { 'application/json': { schema: schemaOf(answer, 'output', components), example } };
  const [text = '', ...binary] = media;
  return {
    [text]: { schema: { type: 'string' }, example },
    ...Object.fromEntries(binary.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  };
}

/** Returns one code sample as Markdown. Only the first language is unfolded. */
function describeSample(language: Language, code: string): string {
  const open = language === LANGUAGES[0] ? ' open' : '';
  return `<details${open}><summary>${language}</summary>\n\n\`\`\`\n${code}\n\`\`\`\n\n</details>`;
}

const EXAMPLE_IDS = { site_id: SITE.id, funnel_id: FUNNEL.id, group_id: GROUP.id, link_id: SHARE_LINK.id };

/** Returns a complete path for the samples, with the ids of the examples. */
export function samplePath(path: string, operation: Operation): string {
  const query = new URLSearchParams();
  if (Object.hasOwn(operation.query.shape, 'site_id')) query.set('site_id', SITE.id);
  if (Object.hasOwn(operation.query.shape, 'dimension')) query.set('dimension', 'source');
  if (Object.hasOwn(operation.query.shape, 'day')) query.set('day', '2026-11-19');
  if (Object.hasOwn(operation.query.shape, 'start')) query.set('start', 'page:/');
  if (Object.hasOwn(operation.query.shape, 'q')) query.set('q', 'visitors from germany by source');
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: keyof typeof EXAMPLE_IDS) => EXAMPLE_IDS[name]);
  return query.size > 0 ? `${filled}?${query}` : filled;
}

function parametersOf(schema: z.ZodObject, where: 'path' | 'query' | 'header'): Json[] {
  const { properties, required = [] } = schemaOf(schema, 'input') as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, default: _default, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    description,
    ...formOf({ ...rest, ...defaultOf(schema, name) }),
  }));
}

/** How the value of a parameter is written: a list of objects as JSON, everything else as OpenAPI's styles say. */
function formOf(schema: Json): Json {
  const { type, items } = schema as { type?: string; items?: { type?: string } };
  if (type === 'array' && items?.type === 'object') {
    const { default: _none, ...list } = schema;
    return { content: { 'application/json': { schema: list } } };
  }
  return {
    schema,
    ...(type === 'array' && { style: 'form', explode: false }),
    ...(type === 'object' && { style: 'deepObject', explode: true }),
  };
}

/** Returns the default of a parameter from its schema. Filters have none: an empty list of filters cannot be sent. */
function defaultOf(schema: z.ZodObject, name: string): Json {
  const value = (schema.shape[name] as z.ZodType | undefined)?.safeParse(undefined).data;
  return value === undefined || (typeof value === 'object' && !Array.isArray(value)) ? {} : { default: value };
}

function describeError(code: RefusalCode): Json {
  const { when, message } = ERRORS[code] ?? { when: code, message: code };
  const { status } = REFUSALS[code];
  return {
    description: when,
    headers: headersOf([
      ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ...(status === 405 ? (['Allow'] as const) : []),
    ]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { error: code, message, status },
      },
    },
  };
}

function headersOf(more: (keyof typeof HEADERS)[]): Json {
  return Object.fromEntries([...ALWAYS, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Schemas with an id become components and are referenced. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json = {}): Json {
  const json = JSON.stringify(jsonSchemaOf(schema, io));
  const { $defs = {}, ...rest } = JSON.parse(json.replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & {
    $defs?: Json;
  };
  Object.assign(components, $defs);
  return rest;
}

/** Serves the document, which is generated once per process. */
export function openDocument(base: string) {
  let written: { text: string; etag: string } | undefined;
  const write = () => {
    const text = JSON.stringify(describeApi(base));
    return { text, etag: etagOf(text) };
  };
  return {
    send(request: IncomingMessage, response: ServerResponse): void {
      const { text, etag } = (written ??= write()); // no start waits for what few ask for
      if (!isRead(request)) {
        response.setHeader('allow', 'GET, HEAD, OPTIONS');
        if (request.method !== 'OPTIONS')
          throw new Refusal('method_not_allowed', 'The method must be one of GET, HEAD, OPTIONS.');
        response.writeHead(204).end();
      } else if (isKnownTag(request.headers['if-none-match'], etag)) {
        response.writeHead(304, { etag, 'cache-control': 'no-cache' }).end();
      } else {
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
          'cache-control': 'no-cache',
          etag,
        });
        response.end(text);
      }
    },
  };
}
