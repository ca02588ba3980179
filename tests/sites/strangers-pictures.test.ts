/** @module-tag attack */
// Strangers who ask for pictures of share links: with guessed tokens, and with more parameters than anybody has a use for.
import { expect, test } from 'vitest';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { PICTURE_NAMES, PICTURE_THEMES, pictureRow } from '../../server/vocabulary/settings/pictures.ts';
import { testApp } from '../setup/app.ts';
import { showsRefused, sized } from '../setup/run/harness.ts';

test('guessed tokens meet the limit on guessing', async () => {
  showsRefused('guessing passwords and keys');
  await using server = await testApp();
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await fetch(`${server.url}/share/${String(guess).padStart(32, 'x')}/badge.svg`)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429]);
});

/** Every picture that there is. */
const KNOWN = PICTURE_NAMES.flatMap((picture) => {
  const { metrics, periods = [undefined] } = pictureRow(picture);
  return metrics.flatMap((metric) =>
    periods.flatMap((period) =>
      PICTURE_THEMES.map(
        (theme) => `${picture}.svg?metric=${metric}${period ? `&period=${period}` : ''}&theme=${theme}`,
      ),
    ),
  );
});

test('asked with ten thousand different parameters, the server draws sixty pictures a minute and keeps nothing else', async () => {
  showsRefused('memory filled by a stranger');
  await using server = await testApp();
  const site = await server.addSite('own.example');
  const wish = { siteId: site.id, name: 'link' };
  const { token } = await createShareLink(server.app.services.directory, wish, server.clock.now);
  const strange = Array.from(
    { length: sized({ short: 200, long: 9_000 }) },
    (_, n) => `badge.svg?metric=visits&v=${n}`,
  );
  const known = KNOWN.slice(0, sized({ short: 150, long: KNOWN.length }));
  const statuses = new Map<number, number>();
  for (const path of [...known, ...strange]) {
    const { status } = await fetch(`${server.url}/share/${token}/${path}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: 60, 400: strange.length, 429: known.length - 60 });
  expect(KNOWN.length).toBeLessThan(2_000); // of at most 20 kB: what does not fit into 8 MB is dropped, see previews.ts
});
