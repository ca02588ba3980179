// The published description is valid and complete, its examples are right, the samples run in every installed language, and /docs needs no
// other server.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeApi, samplePath } from '../../server/api/rest/openapi.ts';
import { type Language, LANGUAGES, SAMPLE_BASE, samplesOf } from '../../server/api/rest/samples.ts';
import { FUNNEL, GROUP, SHARE_LINK, SITE } from '../../server/api/rest/examples.ts';
import { type Method, METHODS, type Operation, OPERATIONS } from '../../server/api/rest/operations.ts';
import { REFUSALS } from '../../server/errors.ts';
import { DIMENSION_NAMES } from '../../server/vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../server/vocabulary/questions/furthest-step.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { addFunnel, addGroup } from '../setup/stats/definitions.ts';
import { type Document, keyFor } from '../setup/api/rest.ts';

let server: TestApp;
let site: Site;
let key: string;
let funnelId: string;
let groupId: string;
let document: Document;

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite();
  key = await keyFor(server, site);
  const { directory } = server.app.services;
  funnelId = await addFunnel(directory, site, server.clock.now);
  groupId = await addGroup(directory, site, server.clock.now);
  document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as Document;
});
afterAll(async () => server[Symbol.asyncDispose]());

const operations: { method: Method; path: string; operation: Operation }[] = Object.entries(OPERATIONS).flatMap(
  ([path, row]) => METHODS.flatMap((method) => (row[method] ? [{ method, path, operation: row[method] }] : [])),
);

describe('the description', () => {
  test('is valid OpenAPI 3.1, needs no key, and has a tag', async () => {
    expect(await new Validator().validate(structuredClone(document) as never)).toEqual({ valid: true });
    const { headers, status } = await fetch(`${server.url}/v1/openapi.json`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await fetch(`${server.url}/v1/openapi.json`, again)).status).toBe(304);
    expect((await fetch(`${server.url}/v1/openapi.json`, { method: 'HEAD' })).status).toBe(200);
    const wrong = await fetch(`${server.url}/v1/openapi.json`, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('gives every operation a unique name, and describes every status of a refusal', () => {
    const described = Object.values(document.paths).flatMap((row) => Object.values(row));
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(
      operations.map(({ operation }) => operation.id).sort(),
    );
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length);
    const statuses = new Set(described.flatMap(({ responses }) => Object.keys(responses).map(Number)));
    for (const { status } of Object.values(REFUSALS)) expect(statuses).toContain(status);
  });

  test('gives the default of each parameter, and its bounds', () => {
    const parametersOf = (path: string) => document.paths[path]?.['get']?.parameters ?? [];
    const said = (path: string, keyword: string) =>
      Object.fromEntries(
        parametersOf(path)
          .filter(({ schema }) => schema?.[keyword] !== undefined)
          .map(({ name, schema }) => [name, schema?.[keyword]]),
      );
    expect(said('/v1/sites', 'default')).toEqual({ page: 1, per_page: 50 });
    expect(said('/v1/stats', 'default')).toEqual({
      period: '30d',
      timezone: 'UTC',
      include_imported: 'true',
      metric: 'both',
      limit: 100,
    });
    expect(said('/v1/stats/timeseries', 'default')).toEqual({
      period: '30d',
      compare: 'none',
      timezone: 'UTC',
      include_imported: 'true',
      metrics: ['unique_visitors', 'pageviews'],
    });
    expect(said('/v1/stats/breakdown', 'default')).toEqual({
      period: '30d',
      compare: 'none',
      timezone: 'UTC',
      include_imported: 'true',
      page: 1,
      per_page: 100,
    });
    const ofJson = parametersOf('/v1/stats/breakdown').filter(({ schema }) => !schema);
    expect(ofJson).toMatchObject([{ name: 'filters', content: { 'application/json': { schema: { maxItems: 20 } } } }]);
    expect(said('/v1/stats/breakdown', 'maximum')).toEqual({ page: 100_000, per_page: 1000 });
    expect(said('/v1/stats/breakdown', 'maxProperties')).toEqual({ filter: 20 });
    expect(said('/v1/stats/breakdown', 'uniqueItems')).toEqual({ metrics: true });
    const event = JSON.stringify(document.paths['/v1/events']);
    for (const bound of ['"maxProperties":30', '"not":{"enum":["pageview","engagement"]}', '"maxLength":512'])
      expect(event).toContain(bound);
  });

  test('has objects that generators turn into types that compile: named properties beside others of any type, or of none', () => {
    const wrong: string[] = [];
    const walk = (part: unknown, at: string) => {
      if (typeof part !== 'object' || part === null) return;
      const { properties, additionalProperties } = part as Record<string, unknown>;
      const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties ?? {}).length > 0;
      // An index signature must be true for the named properties, too. They are optional, and in answers of several types.
      if (properties !== undefined && isTyped) wrong.push(at);
      for (const [name, inner] of Object.entries(part)) walk(inner, `${at}/${name}`);
    };
    walk(document, '');
    expect(wrong).toEqual([]);
  });

  test('names every dimension to filter by, and gives a pattern for what is refused', () => {
    const parameters = document.paths['/v1/stats/breakdown']?.['get']?.parameters ?? [];
    const schema = parameters.find(({ name }) => name === 'filter')?.schema ?? {};
    expect(Object.keys(schema['properties'] as object)).toEqual([...DIMENSION_NAMES, FURTHEST_STEP]);
    expect(Object.keys(schema['patternProperties'] as object)).toEqual(['^prop:.{1,64}$']);
    const body = document.paths['/v1/events']?.['post']?.requestBody?.content['application/json'].schema;
    const properties = body?.['properties'] as Record<string, unknown> | undefined;
    expect(properties?.['url']).toMatchObject({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\]', maxLength: 2048 });
    expect(properties?.['name']).toMatchObject({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$' });
    expect(properties?.['props']).toMatchObject({
      propertyNames: { minLength: 1, maxLength: 64, pattern: '[^\\s\\p{C}]' },
    });
  });

  test('shows samples with the server’s own address, if it has one', () => {
    const text = JSON.stringify(describeApi('https://stats.example.com/'));
    expect(text).toContain("'https://stats.example.com/v1/sites'");
    expect(text).not.toContain(SAMPLE_BASE);
    expect(JSON.stringify(describeApi('/'))).toContain(`'${SAMPLE_BASE}/v1/sites'`);
  });

  test('has examples that match the schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, 'api');
    let examples = 0;
    const walk = (part: unknown, pointer: string) => {
      if (typeof part !== 'object' || part === null) return;
      const { schema, example } = part as { schema?: unknown; example?: unknown };
      if (schema !== undefined && example !== undefined) {
        examples += 1;
        const validate = ajv.compile({ $ref: `api#${pointer}/schema` });
        expect(validate(example), `${pointer} ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
      for (const [name, inner] of Object.entries(part))
        if (name !== 'example')
          walk(inner, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    };
    walk(document, '');
    expect(examples).toBeGreaterThan(15);
  });
});

const spareLink = async () =>
  (await createShareLink(server.app.services.directory, { siteId: site.id, name: 'spare' }, server.clock.now)).id;

describe('the samples', () => {
  const COMMANDS: Record<Language, (code: string) => [string, string[]]> = {
    curl: (code) => ['bash', ['-c', code]],
    JavaScript: (code) => [process.execPath, ['--input-type=module', '-e', code]],
    Python: (code) => ['python3', ['-c', code]],
    PHP: (code) => ['php', ['-r', code.replace('<?php', '')]],
  };

  for (const language of LANGUAGES) {
    test(`in ${language} do what they say`, async () => {
      for (const { method, path, operation } of operations) {
        const isText = operation.media !== undefined;
        const path_ = samplePath(path, operation);
        const asked = { method, path: path_, body: operation.body?.example, base: server.url, isText };
        const isRevoked = operation.id === 'revokeShareLink'; // each language revokes one of its own
        const linkId = isRevoked ? await spareLink() : '';
        const ids = { [SITE.id]: site.id, [FUNNEL.id]: funnelId, [GROUP.id]: groupId, [SHARE_LINK.id]: linkId };
        const code = Object.entries(ids).reduce(
          (text, [example, id]) => text.replaceAll(example, id),
          samplesOf(asked)[language],
        );
        const [command, args] = COMMANDS[language](code);
        const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, FOOTFALL_KEY: key } });
        if (isText) expect(stdout.trim(), operation.id).toBe('');
        else expect(Object.keys(JSON.parse(stdout) as object), operation.id).toContain('data');
      }
    });
  }
});

test('/docs is served from here alone, under a policy of its own', async () => {
  const page = await fetch(`${server.url}/docs`);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
  const html = await page.text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, address]) => address ?? []);
  expect(addresses.every((address) => /^\/[^/]/.test(address))).toBe(true);
  for (const address of addresses.filter((address) => address.startsWith('/docs/'))) {
    const file = await fetch(server.url + address, { headers: { 'accept-encoding': 'gzip' } });
    expect([file.status, file.headers.get('content-encoding')], address).toEqual([200, 'gzip']);
  }
  for (const path of ['/docs/package.json', '/docs/%2e%2e%2fpackage.json', '/docs/swagger-ui.js/x', '/docs/__proto__'])
    expect((await fetch(server.url + path)).status, path).toBe(404);
  expect((await fetch(`${server.url}/docs`, { method: 'POST' })).status).toBe(405);
});
