// What a new site offers after its first visit: a goal, a report by mail and a share link, once for each person who may do them.
import { parse } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, type World } from '../setup/accounts/callers.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { siteById } from '../../server/sites/sites.ts';

const WITH_MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Footfall <footfall@stats.example>' };
const ALL = ['goal', 'report', 'link'];
type Asker = 'the owner' | 'an admin' | 'a viewer';
type Shown = { id: string; domain: string; next_steps?: string[]; is_unused?: true };

let server: TestApp;
let world: World;
beforeAll(async () => {
  server = await testApp({ env: WITH_MAIL });
  world = await makeWorld(server);
});
afterAll(async () => server[Symbol.asyncDispose]());

async function asked(name: string, input: unknown, asker: Asker = 'the owner'): Promise<unknown> {
  const { status, body } = await world.ask(name, input, world.askers[asker].headers);
  expect([name, status]).toEqual([name, 200]);
  const { result } = JSON.parse(body) as { result: { data: string } };
  return parse(result.data);
}
async function stepsOf(domain: string, asker: Asker = 'the owner'): Promise<string[] | undefined> {
  const { sites } = (await asked('session.current', undefined, asker)) as { sites: Shown[] };
  return sites.find((site) => site.domain === domain)?.next_steps;
}
/** A site of the account, with its first visit. */
async function visited(domain: string): Promise<string> {
  const { id } = (await asked('sites.create', { domain })) as Shown;
  await server.foot({ site: domain, name: 'pageview', url: `https://${domain}/` });
  const { directory } = server.app.services;
  await eventually(async () => expect((await siteById(directory, id))?.first_event_at).toBe(server.clock.now));
  return id;
}

test('a site offers them before its first visit and for 14 days after it', async () => {
  const made = (await asked('sites.create', { domain: 'early.example' })) as Shown;
  expect(await stepsOf('early.example')).toEqual(ALL);
  const id = await visited('new.example');
  const site = await siteById(server.app.services.directory, id);
  expect(site).toMatchObject({ first_event_at: server.clock.now, last_event_at: server.clock.now });
  const { now } = server.clock;
  try {
    server.clock.now = now + 14 * DAY_MS - 1;
    expect(await stepsOf('new.example')).toEqual(ALL);
    server.clock.now = now + 14 * DAY_MS;
    expect(await stepsOf('new.example')).toBeUndefined();
    expect(await stepsOf(made.domain)).toEqual(ALL);
  } finally {
    server.clock.now = now;
  }
});

test('only to people who may do them, each for themselves', async () => {
  await visited('people.example');
  expect(await stepsOf('people.example', 'an admin')).toEqual(ALL);
  expect(await stepsOf('people.example', 'a viewer')).toBeUndefined();
});

test('what there is already is not offered: a goal and a link to nobody, a report to whom it is mailed', async () => {
  const site_id = await visited('done.example');
  const definition = { kind: 'page', page: '/pricing' };
  const goal = (await asked('goals.create', { site_id, name: '/pricing', definition })) as { id: string };
  expect(await stepsOf('done.example')).toEqual(['report', 'link']);
  const content = { name: 'done.example', frequency: 'weekly', hour: 8, timezone: 'UTC' };
  const report = (await asked('reports.subscribe', { site_id, content })) as { id: string };
  expect(await stepsOf('done.example')).toEqual(['link']);
  expect(await stepsOf('done.example', 'an admin')).toEqual(['report', 'link']);
  const link = (await asked('shares.create', { site_id, name: 'Anyone with the link' })) as { id: string };
  expect(await stepsOf('done.example')).toBeUndefined();
  expect(await stepsOf('done.example', 'an admin')).toEqual(['report']);

  await asked('goals.delete', { site_id, id: goal.id });
  await asked('reports.unsubscribe', { site_id, id: report.id });
  await asked('shares.revoke', { site_id, id: link.id });
  expect(await stepsOf('done.example')).toEqual(['goal', 'report']); // it once had a link
});

test('one that is remembered never comes back, and how a person arranges the dashboard is kept beside it', async () => {
  const site_id = await visited('put.example');
  expect(await asked('sites.arrange', { site_id, change: { next_steps: ['goal'], folded: ['ai'] } })).toEqual({
    next_steps: ['goal'],
    folded: ['ai'],
  });
  expect(await stepsOf('put.example')).toEqual(['report', 'link']);
  expect(await stepsOf('put.example', 'an admin')).toEqual(ALL);
  const whole = await asked('sites.arrange', { site_id, change: { next_steps: ALL, folded: null } });
  expect(whole).toEqual({ next_steps: ALL });
  expect(await stepsOf('put.example')).toBeUndefined();
});

test('a server without mail offers no report', async () => {
  const { services } = server.app;
  await visited('silent.example');
  const { mail } = services;
  services.mail = { ...mail, isOn: false };
  try {
    expect(await stepsOf('silent.example')).toEqual(['goal', 'link']);
  } finally {
    services.mail = mail;
  }
});
