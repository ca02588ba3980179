// The template for Google Tag Manager: its sections, its permissions, and its own tests on its own code, with stand-ins for the APIs of
// Tag Manager's sandbox. Each API does only what a permission of the template allows. Google's preview itself runs at Google alone.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { testApp } from '../setup/app.ts';

const template = readFileSync(new URL('../../plugins/gtm/footfall.tpl', import.meta.url), 'utf8');
const [, ...parts] = template.split(/^___([A-Z_]+)___$/m);
const sections = new Map(
  parts.flatMap((name, index) => (index % 2 === 0 ? [[name, (parts[index + 1] ?? '').trim()] as const] : [])),
);
const section = (name: string) => sections.get(name) ?? '';
const code = section('SANDBOXED_JS_FOR_WEB_TEMPLATE');

type Field = { type: string; name: string; defaultValue?: unknown; subParams?: Field[] };
type Value = {
  type: number;
  string?: string;
  boolean?: boolean;
  listItem?: Value[];
  mapKey?: Value[];
  mapValue?: Value[];
};
type Permission = { instance: { key: { publicId: string }; param: { key: string; value: Value }[] } };
type Scenario = { name: string; code: string };

const permissions = JSON.parse(section('WEB_PERMISSIONS')) as Permission[];
const fields = JSON.parse(section('TEMPLATE_PARAMETERS')) as Field[];
const { scenarios, setup } = parseYaml(section('TESTS')) as { scenarios: Scenario[]; setup: string };

/** A list of texts, or of maps as objects. */
const granted = (publicId: string) =>
  (permissions.find(({ instance }) => instance.key.publicId === publicId)?.instance.param ?? []).flatMap(({ value }) =>
    (value.listItem ?? []).map(({ string, mapKey = [], mapValue = [] }) =>
      string === undefined
        ? Object.fromEntries(
            mapKey.map((key, index) => [key.string, mapValue[index]?.string ?? mapValue[index]?.boolean]),
          )
        : string,
    ),
  );
const mayAccess = (key: unknown, ...ways: string[]) =>
  granted('access_globals').some(
    (one) => typeof one === 'object' && one['key'] === key && ways.every((way) => one[way] === true),
  );
const mayReadConsent = (type: unknown) =>
  granted('access_consent').some(
    (one) => typeof one === 'object' && one['consentType'] === type && one['read'] === true,
  );
const mayInject = (address: unknown) =>
  granted('inject_script').some((one) => {
    const [start = '', end] = String(one).split('*');
    return end === '' ? String(address).startsWith(start) : address === one;
  });

/** The APIs that the code may require, with the permission that each needs, and what of it a call must have. */
const APIS: Record<
  string,
  { needs?: string; mayCall?: (...args: unknown[]) => boolean; does?: (...args: never[]) => unknown }
> = {
  addConsentListener: { needs: 'access_consent', mayCall: mayReadConsent },
  copyFromWindow: { needs: 'access_globals', mayCall: (key) => mayAccess(key, 'read') },
  createArgumentsQueue: {
    needs: 'access_globals',
    mayCall: (...keys) => keys.length === 2 && keys.every((key) => mayAccess(key, 'read', 'write')),
    does: () => () => undefined,
  },
  encodeUriComponent: { does: (text: string) => encodeURIComponent(text) },
  injectScript: { needs: 'inject_script', mayCall: mayInject },
  isConsentGranted: { needs: 'access_consent', mayCall: mayReadConsent, does: () => true },
};

/** Runs a scenario as the editor of templates does. Returns the APIs that its code has called. */
function runScenario(scenario: Scenario): string[] {
  const mocks = new Map<string, unknown>();
  const calls: { api: string; args: unknown[] }[] = [];
  const stand =
    (api: string) =>
    (...args: unknown[]) => {
      const { mayCall, does } = APIS[api] ?? {};
      if (mayCall && !mayCall(...args)) throw new Error(`${api}(${args.map(String).join(', ')}) needs a permission.`);
      calls.push({ api, args });
      const mock = mocks.has(api) ? mocks.get(api) : does;
      return typeof mock === 'function' ? (mock as (...given: unknown[]) => unknown)(...args) : mock;
    };
  const callsOf = (api: string) => calls.filter((call) => call.api === api).map(({ args }) => args);
  const tools = {
    mock: (api: string, as: unknown) => void mocks.set(api, as),
    runCode: (data: object) => {
      const given = { ...data, gtmOnSuccess: stand('gtmOnSuccess'), gtmOnFailure: stand('gtmOnFailure') };
      const require = (api: string) => {
        if (!(api in APIS)) throw new Error(`There is no ${api} in APIS.`);
        return stand(api);
      };
      new Function('require', 'data', code)(require, given);
    },
    assertApi: (api: string) => ({
      wasCalled: () => expect(callsOf(api), `${api} was called`).not.toEqual([]),
      wasNotCalled: () => expect(callsOf(api), `${api} was not called`).toEqual([]),
      wasCalledWith: (...args: unknown[]) =>
        expect(
          callsOf(api).some((one) => isDeepStrictEqual(one, args)),
          `${api} was called with ${args.join()}`,
        ).toBe(true),
    }),
    assertThat: (value: unknown) => ({ isEqualTo: (other: unknown) => expect(value).toEqual(other) }),
  };
  new Function(...Object.keys(tools), `${setup}\n${scenario.code}`)(...Object.values(tools));
  return calls.map(({ api }) => api);
}

describe('the template for Google Tag Manager', () => {
  test('has the sections of the format, in its order', () => {
    expect([...sections.keys()]).toEqual([
      'TERMS_OF_SERVICE',
      'INFO',
      'TEMPLATE_PARAMETERS',
      'SANDBOXED_JS_FOR_WEB_TEMPLATE',
      'WEB_PERMISSIONS',
      'TESTS',
      'NOTES',
    ]);
    expect(JSON.parse(section('INFO'))).toMatchObject({
      type: 'TAG',
      displayName: 'Footfall',
      containerContexts: ['WEB'],
    });
  });

  test('reads every field that it shows, and no other', () => {
    const shown = fields.flatMap(({ subParams, ...field }) => subParams ?? [field]).map(({ name }) => name);
    const read = [...code.matchAll(/\bdata\.(\w+)/g)]
      .map(([, name]) => name)
      .filter((name) => !name?.startsWith('gtmOn'));
    expect([...new Set(read)].sort()).toEqual(shown.sort());
  });

  test('has the permissions that its code needs, and no others', () => {
    const required = [...code.matchAll(/require\('(\w+)'\)/g)].map(([, name = '']) => name);
    expect(required.toSorted()).toEqual(Object.keys(APIS).sort());
    const needed = new Set(required.flatMap((name) => APIS[name]?.needs ?? []));
    expect(permissions.map(({ instance }) => instance.key.publicId).sort()).toEqual([...needed].sort());
    expect(granted('inject_script')).toEqual(['https://stats.example.com/foot.js?data-site=*']);
    expect(granted('access_globals')).toEqual(
      ['footfall', 'footfall.q'].map((key) => ({ key, read: true, write: true, execute: false })),
    );
    expect(granted('access_consent')).toEqual([{ consentType: 'analytics_storage', read: true, write: false }]);
  });

  test('uses nothing that the sandbox does not have', () => {
    const words = code.replace(/\/\/.*|'[^']*'/g, '');
    expect(
      words.match(/\b(window|document|new|class|this|async|await|import|delete|typeof|RegExp|JSON|Object)\b|`/g),
    ).toBeNull();
  });

  test.each(scenarios)('$name', (scenario) => void runScenario(scenario));

  test('its scenarios call every API', () => {
    const called = new Set(scenarios.flatMap(runScenario));
    expect(Object.keys(APIS).filter((name) => !called.has(name))).toEqual([]);
  });

  test('comes from a server with the address of that server', async () => {
    await using server = await testApp({ env: { BASE_URL: 'https://stats.own.example', TRUST_PROXY: 'loopback' } });
    const answer = await fetch(`${server.url}/footfall-gtm.tpl`, { headers: { 'x-forwarded-proto': 'https' } });
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="footfall.tpl"',
    ]);
    expect(await answer.text()).toBe(template.replaceAll('https://stats.example.com', 'https://stats.own.example'));
  });
});
