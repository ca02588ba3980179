/** @module-tag attack */
// The headers of every answer, the reports of the dashboard's policy, and the contact for vulnerabilities.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Log, openLog } from '../../server/process/log.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { showsRefused } from '../setup/run/harness.ts';

const PATHS =
  `/ /login /favicon.svg /theme.js /unknown /_app/none.js /foot /foot.js /foot.gif?site=own.example /footfall.tgz
  /footfall-0.0.0.tgz /healthz /readyz /trpc/session.current /trpc/none /v1/sites /v1/openapi.json /export/x.csv
  /docs /docs/ /docs/swagger-ui.js /auth/get-session /auth/none /policy-reports /.well-known/security.txt
  /share/none /share/none/badge.svg /oembed?url=x /socket.io/?EIO=4&transport=polling /socket.io/`.split(/\s+/);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'];

const ask = (server: TestApp, path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: 'manual', ...init });

describe('every answer', () => {
  test('tells browsers not to guess its type, whatever was asked and however it was refused', async () => {
    showsRefused('missing headers', PATHS.length * METHODS.length + 2);
    await using server = await testApp({ env: { LOG_LEVEL: 'silent' } });
    for (const path of PATHS)
      for (const method of METHODS) {
        const answer = await ask(server, path, { method });
        await answer.arrayBuffer();
        expect([method, path, answer.headers.get('x-content-type-options')]).toEqual([method, path, 'nosniff']);
      }
    for (const raw of [
      'no HTTP at all\r\n\r\n',
      'GET /login HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    ])
      expect(await text(connect(Number(new URL(server.url).port), '127.0.0.1').end(raw))).toMatch(
        /^X-Content-Type-Options: nosniff\r$/im,
      );
  });

  test('over TLS sets HSTS for a year, but not for the domain of a site whose proxy passes it on', async () => {
    const env = { BASE_URL: 'https://stats.example', TRUST_PROXY: 'loopback', LOG_LEVEL: 'silent' };
    await using server = await testApp({ env });
    const collecting = ['/foot', '/foot.js', '/foot.gif', '/footfall.tgz', '/footfall-0.0.0.tgz', '/socket.io/'];
    for (const path of PATHS) {
      const secure = await ask(server, path, { headers: { 'x-forwarded-proto': 'https' } });
      const isOurs = !collecting.some((one) => path.startsWith(one));
      const expected = isOurs ? 'max-age=31536000; includeSubDomains' : null;
      expect([path, secure.headers.get('strict-transport-security')]).toEqual([path, expected]);
      expect((await ask(server, path)).headers.get('strict-transport-security')).toBeNull();
    }
  });
});

describe('policy reports', () => {
  const old = (directive: string, blocked = 'inline') =>
    JSON.stringify({
      'csp-report': {
        'effective-directive': directive,
        'blocked-uri': blocked,
        'document-uri': 'http://localhost/share/secret-token',
      },
    });
  const report = (server: TestApp, body: string, type = 'application/csp-report') =>
    ask(server, '/policy-reports', { method: 'POST', headers: { 'content-type': type }, body });

  test('have their address in the policy, which allows no style, script or markup from elsewhere', async () => {
    await using server = await testApp();
    const { headers } = await ask(server, '/login');
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain('trusted-types svelte-trusted-html footfall-reader');
    expect(policy).toContain('report-uri /policy-reports');
    expect(policy).toContain('report-to policy');
    expect(policy.join()).not.toContain('unsafe-inline');
    expect(headers.get('reporting-endpoints')).toBe('policy="/policy-reports"');
  });

  test('make one log line a minute, without addresses of pages, and past 60 a minute they are not read', async () => {
    const lines: object[] = [];
    const log = { ...openLog('silent'), warn: (line: object) => void lines.push(line) } as unknown as Log;
    await using server = await testApp({ log });
    expect((await report(server, old('style-src-attr'))).status).toBe(204);
    const newer = [
      {
        type: 'csp-violation',
        body: { effectiveDirective: 'script-src', blockedURL: 'https://evil.example/x?token=1' },
      },
    ];
    expect((await report(server, JSON.stringify(newer), 'application/reports+json')).status).toBe(204);
    expect((await report(server, '[]', 'application/reports+json')).status).toBe(204);
    for (const [body, type, status] of [
      ['{', 'application/csp-report', 400],
      ['{}', 'application/csp-report', 400],
      [old('x'), 'text/plain', 415],
      [old('x'.repeat(20_000)), 'application/csp-report', 413],
    ] as const)
      expect((await report(server, body, type)).status).toBe(status);
    for (let sent = 7; sent < 60; sent += 1) await report(server, old('img-src'));
    expect((await report(server, '{')).status).toBe(204); // the 61st
    server.clock.now += MINUTE_MS;
    await report(server, old('img-src', 'data:text/html,secret-token\n{"level":"error"}'));
    expect(lines).toEqual([
      { directive: 'style-src-attr', blocked: 'inline' },
      { directive: 'img-src', blocked: 'data:', unlogged_before: 55 },
    ]);
    expect((await ask(server, '/policy-reports')).status).toBe(405);
  });
});

test('security.txt names the operator’s contact and expires in half a year; without a contact there is none', async () => {
  {
    await using server = await testApp();
    expect((await ask(server, '/.well-known/security.txt')).status).toBe(404);
  }
  const env = {
    SECURITY_CONTACT: 'security@stats.example',
    BASE_URL: 'https://stats.example',
    TRUST_PROXY: 'loopback',
  };
  await using server = await testApp({ now: Date.UTC(2026, 10, 20, 12), env });
  const answer = await ask(server, '/.well-known/security.txt', { headers: { 'x-forwarded-proto': 'https' } });
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await answer.text()).toBe(
    'Contact: mailto:security@stats.example\nExpires: 2027-05-19T00:00:00.000Z\nPreferred-Languages: en\nCanonical: https://stats.example/.well-known/security.txt\n',
  );
});
