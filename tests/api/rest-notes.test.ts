// Notes in the API: written once for each key, on the day of the site, and by the steps that docs/vitals.md gives for deployments.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { listNotes } from '../../server/sites/definitions/notes.ts';
import { configureSite } from '../../server/sites/sites.ts';
import { MAX_NOTE } from '../../server/vocabulary/settings/notes.ts';
import { test } from '../setup/api/rest-test.ts';

test('a note is made once for each key of a site, and again after it was deleted', async ({ server, site, rest }) => {
  const { directory } = server.app.services;
  const body = { site_id: site.id, text: ' Release 2.4 \u202e' };
  const write = async (more: object = {}, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const { status, body: answer } = await rest.ask('/v1/notes', { body: { ...body, ...more }, headers });
    return { status, ...(answer as { data: { id: string; day: string } }).data };
  };
  const today = new Date(server.clock.now).toISOString().slice(0, 10);
  const made = await write({}, 'build-7');
  expect(made).toEqual({
    status: 200,
    id: expect.stringMatching(/^note_[0-9A-HJKMNP-TV-Z]{26}$/) as string,
    day: today,
    text: 'Release 2.4',
    is_private: false,
    kind: 'release',
  });
  expect(await Promise.all([write({ text: 'other' }, 'build-7'), write({}, 'build-7')])).toEqual([made, made]);
  const others = [
    await write({}, 'build-8'),
    await write({ day: '2026-10-01', is_private: true, kind: 'note' }),
    await write(),
  ];
  expect(others).toMatchObject([{ day: today }, { day: '2026-10-01', is_private: true, kind: 'note' }, { day: today }]);
  expect(new Set([made, ...others].map(({ id }) => id)).size).toBe(4);
  expect(await listNotes(directory, { siteId: site.id, isShared: true })).toHaveLength(3);
  await directory.db.deleteFrom('notes').where('site_id', '=', site.id).execute();
  expect((await write({}, 'build-7')).id).toBe(made.id);

  // Fourteen hours ahead of UTC.
  await configureSite(directory, { siteId: site.id, timezone: 'Pacific/Kiritimati' }, server.clock.now);
  const there = new Date(server.clock.now + 14 * 3_600_000).toISOString().slice(0, 10);
  expect([there > today, (await write()).day]).toEqual([true, there]);
});

test('what is no note is refused, and so is the site of another account', async ({ server, site, rest }) => {
  const usual = { site_id: site.id, text: 'Release' };
  for (const [wrong, problem] of [
    [{ text: '' }, 'text: must be text of 1 to 140 characters'],
    [{ text: 'x'.repeat(MAX_NOTE + 1) }, 'text: must be text of 1 to 140 characters'],
    [{ text: undefined }, 'text'],
    [{ day: '2026-02-30' }, 'day'],
    [{ is_private: 1 }, 'is_private'],
    [{ kind: 'deployment' }, 'kind: must be note or release'],
    [{ more: 1 }, 'more'],
    [{ site_id: 7 }, 'site_id'],
  ] as const) {
    const { status, text } = await rest.ask('/v1/notes', { body: { ...usual, ...wrong } });
    expect([status, JSON.stringify(wrong), text]).toEqual([
      400,
      JSON.stringify(wrong),
      expect.stringContaining(problem),
    ]);
  }
  const other = await server.newSite();
  expect((await rest.refused('/v1/notes', { body: { ...usual, site_id: other.id } })).status).toBe(404);
});

const STEPS = [
  ...readFileSync(join(import.meta.dirname, '../../docs/vitals.md'), 'utf8').matchAll(
    /^ +(curl .*notes(?:.*\n)+?.*"$)/gm,
  ),
];

test('the steps for GitHub Actions and GitLab CI mark a release once', async ({ server, site, key }) => {
  const { directory } = server.app.services;
  const before = await listNotes(directory, { siteId: site.id, isShared: true });
  expect(STEPS).toHaveLength(2);
  for (const [, step = ''] of STEPS)
    for (let run = 0; run < 2; run += 1) {
      const script = step.replace('https://stats.example.com', server.url).replace('site_YOUR_SITE', site.id);
      const env = { PATH: process.env['PATH'], FOOTFALL_KEY: key, GITHUB_SHA: 'a1', CI_COMMIT_SHA: 'b2' };
      const names = { GITHUB_REF_NAME: 'v2.4', CI_COMMIT_TAG: 'v2.5' };
      await promisify(execFile)('bash', ['-ec', script], { env: { ...env, ...names } });
    }
  const notes = await listNotes(directory, { siteId: site.id, isShared: true });
  expect(
    notes
      .slice(before.length)
      .map(({ text, kind }) => `${kind} ${text}`)
      .sort(),
  ).toEqual(['release Release v2.4', 'release Release v2.5']);
});
