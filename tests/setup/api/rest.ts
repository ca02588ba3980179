// The API as its users have it: a key, and a request function that checks every answer against the published description.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { OPERATIONS } from '../../../server/api/rest/operations.ts';
import { createKey } from '../../../server/accounts/keys.ts';
import type { Site } from '../../../server/sites/sites.ts';
import type { TestApp } from '../app.ts';

type Sent = { method?: string; key?: string | null; body?: unknown; headers?: Record<string, string> };
type Answer = { status: number; headers: Headers; body: unknown; text: string };
type Failure = { error: string; message: string; status: number };

export type Rest = {
  document: Document;
  /**
   * Sends a request with the key (`null`: without one); a body that is neither text nor bytes is sent as JSON. Fails when the answer is not
   * as described.
   */
  ask(path: string, sent?: Sent): Promise<Answer>;
  /** The answer's error, whose status equals the answer's status. */
  refused(path: string, sent?: Sent): Promise<Failure>;
};

type Response = { content: Record<string, unknown>; headers: Record<string, unknown> };
export type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, Response | { $ref: string }>;
        parameters?: Parameter[];
        requestBody?: { content: { 'application/json': { schema: Record<string, unknown> } } };
      }
    >
  >;
  components: { responses: Record<string, Response>; schemas: Record<string, unknown> };
};
/** `content`: the value is JSON. */
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  schema?: Record<string, unknown>;
  content?: { 'application/json': { schema: Record<string, unknown> } };
};

/** Every address of the API about a site, with its required parameters. */
export function readingPaths(named: { siteId: string; funnelId: string; groupId: string }): string[] {
  const ids = { site_id: named.siteId, funnel_id: named.funnelId, group_id: named.groupId };
  const given = { ...ids, period: 'today', dimension: 'page', start: 'page:/', day: '2026-11-19', q: 'visitors' };
  return Object.entries(OPERATIONS).flatMap(([path, { GET }]) => {
    if (!GET) return [];
    const query = new URLSearchParams(Object.entries(given).filter(([name]) => Object.hasOwn(GET.query.shape, name)));
    const filled = Object.entries(ids).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path);
    return [`${filled}?${query}`];
  });
}

export async function keyFor(server: TestApp, site: Site): Promise<string> {
  const account = { accountId: site.account_id, name: 'tests' };
  return (await createKey(server.app.services.directory, account, server.clock.now)).key;
}

export async function restOf(server: TestApp, key: string): Promise<Rest> {
  const document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'api');

  const described = (path: string, method: string, status: number) => {
    const [pathname = ''] = path.split('?');
    const template = Object.keys(document.paths).find((known) => matches(known, pathname));
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template === undefined ? undefined : document.paths[template]?.[verb];
    if (template === undefined || !operation) return undefined;
    const response = operation.responses[status];
    if (!response) throw new Error(`${method} ${pathname} answered ${status}, which is not described.`);
    const pointer =
      '$ref' in response
        ? response.$ref.slice(1)
        : `/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${verb}/responses/${status}`;
    const name = '$ref' in response ? response.$ref.split('/').at(-1) : undefined;
    return { pointer, response: '$ref' in response ? document.components.responses[name ?? ''] : response };
  };

  const ask: Rest['ask'] = async (path, sent = {}) => {
    const method = sent.method ?? (sent.body === undefined ? 'GET' : 'POST');
    const response = await fetch(server.url + path, {
      method,
      headers: {
        ...(sent.key !== null && { authorization: `Bearer ${sent.key ?? key}` }),
        ...(sent.body !== undefined && { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(sent.body !== undefined && { body: isRaw(sent.body) ? sent.body : JSON.stringify(sent.body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
      expect(headers.get(name), `${name} of ${method} ${path}`).toMatch(/^\d+$/);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    if (status === 204 || status === 304 || method === 'HEAD') {
      expect(text).toBe('');
      return { status, headers, text, body: undefined };
    }
    const found = described(path, method, status);
    const type = headers.get('content-type') ?? '';
    if (found?.response && !('application/json' in found.response.content)) {
      expect(Object.keys(found.response.content)).toContain(type);
      return { status, headers, text, body: undefined };
    }
    expect(type).toBe('application/json; charset=utf-8');
    const body = JSON.parse(text) as unknown;
    for (const name of Object.keys(found?.response?.headers ?? {}))
      expect(headers.get(name), `${name} of ${status}`).not.toBeNull();
    const schema = found ? `api#${found.pointer}/content/application~1json/schema` : 'api#/components/schemas/Error';
    const validate = ajv.getSchema(schema) ?? ajv.compile({ $ref: schema });
    expect(
      validate(body),
      `${method} ${path} → ${status} ${text.slice(0, 300)} ${ajv.errorsText(validate.errors)}`,
    ).toBe(true);
    return { status, headers, text, body };
  };

  return {
    document,
    ask,
    refused: async (path, sent) => {
      const { status, body } = await ask(path, sent);
      const failure = body as Failure;
      expect(failure.status).toBe(status);
      return failure;
    },
  };
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function matches(template: string, pathname: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
}
