// Finds values of all dimensions by a part of their text, on the real event store.
import { expect, it } from 'vitest';
import type { VisitorId } from '../../server/vocabulary/event.ts';
import { searchQuestion } from '../../server/stats/query.ts';
import { testApp } from '../setup/app.ts';
import { hexId, sampleEvent } from '../setup/event.ts';
import { viewing } from '../setup/accounts/viewing.ts';

/** Five visitors: all see /pricing in London, one of them sends an event with a property. */
async function openSite() {
  const server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  const site = await server.addSite('own.example');
  const event = (number: number, more: object) =>
    sampleEvent(number, {
      site_id: site.id,
      time: server.clock.now - number,
      visitor_id: hexId(1 + (number % 5)) as VisitorId,
      page: '/pricing',
      props: {},
      ...more,
    });
  await server.app.collector.record(
    [
      ...Array.from({ length: 10 }, (_, number) => event(number, number === 3 ? { page: '/pricing/old' } : {})),
      event(10, { name: 'price_seen', props: { tier: 'Priceless' } }),
    ],
    server.clock.now,
  );
  await server.settle();
  const find = (search: string, stats = server.app.services.stats, whole: string[] = []) =>
    stats.search(searchQuestion.parse({ site_id: site.id, period: 'today', search, whole }), site, server.clock.now);
  return Object.assign(server, { find });
}

it('finds values of every dimension and of properties, with their visitors, most of them first', async () => {
  await using server = await openSite();
  expect(await server.find('PRIC')).toEqual([
    { dimension: 'entry_page', name: '/pricing', visitors: 5 },
    { dimension: 'page', name: '/pricing', visitors: 5 },
    { dimension: 'exit_page', name: '/pricing', visitors: 4 },
    { dimension: 'event', name: 'price_seen', visitors: 1 },
    { dimension: 'exit_page', name: '/pricing/old', visitors: 1 },
    { dimension: 'page', name: '/pricing/old', visitors: 1 },
    { dimension: 'prop:tier', name: 'Priceless', visitors: 1 },
  ]);
});

it('returns all values of dimensions that people know by displayed names', async () => {
  await using server = await openSite();
  expect(await server.find('nothing holds this', server.app.services.stats, ['country', 'device'])).toEqual([
    { dimension: 'country', name: 'GB', visitors: 5 },
    { dimension: 'device', name: 'desktop', visitors: 5 },
  ]);
});

it('shows viewers of a link neither properties nor values of fewer than three visitors, unless the owner allows it', async () => {
  await using server = await openSite();
  const { stats } = server.app.services;
  const find = async (shows: Parameters<typeof viewing>[0]) =>
    (await server.find('pric', stats.askedBy({}, viewing(shows, server.clock.now)))).map(
      ({ dimension, name }) => `${dimension} ${name}`,
    );
  const many = ['entry_page /pricing', 'page /pricing', 'exit_page /pricing'];
  const few = ['event price_seen', 'exit_page /pricing/old', 'page /pricing/old'];
  expect(await find({ properties: false, few: false })).toEqual(many);
  expect(await find({ properties: true, few: false })).toEqual(many);
  expect(await find({ properties: false, few: true })).toEqual([...many, ...few]);
  expect(await find({ properties: true, few: true })).toEqual([...many, ...few, 'prop:tier Priceless']);
});
