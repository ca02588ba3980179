// Which goal is proposed after the first visits: an event, or else a page.
import { expect, test } from 'vitest';
import { AUTOMATIC, ENGAGEMENT, PAGEVIEW } from '../../../server/vocabulary/event.ts';
import { proposalWords, proposeGoal } from './proposal.ts';

const page = (path: string) => ({ goal: { kind: 'page', page: path }, words: `Count visits to ${path} as a goal` });
const event = (name: string, words: string) => ({ goal: { kind: 'event', event: name, props: {} }, words });

test.each([
  { seen: 'nothing', events: [], pages: [], proposed: undefined },
  { seen: 'the front page', events: [], pages: ['/'], proposed: undefined },
  { seen: 'only what is no goal', events: ['not_found', ENGAGEMENT, PAGEVIEW], pages: ['/'], proposed: undefined },
  { seen: 'two pages', events: [], pages: ['/', '/pricing', '/about'], proposed: page('/pricing') },
  {
    seen: 'a page that is the aim',
    events: [],
    pages: ['/', '/a', '/shop/thank-you'],
    proposed: page('/shop/thank-you'),
  },
  { seen: 'a sign-up', events: [], pages: ['/about', '/en/sign-up'], proposed: page('/en/sign-up') },
  { seen: 'a page with part of such a word', events: [], pages: ['/a', '/cartoons'], proposed: page('/a') },
  { seen: 'a star', events: [], pages: ['/a*', '(other)', '/b'], proposed: page('/b') },
  {
    seen: 'clicks and downloads',
    events: ['outbound_link', 'file_download'],
    pages: ['/', '/thanks'],
    proposed: event('file_download', 'Count downloads as a goal'),
  },
  {
    seen: 'a custom event',
    events: ['form_submit', 'newsletter', 'purchase'],
    pages: ['/', '/thanks'],
    proposed: event('newsletter', 'Count “newsletter” events as a goal'),
  },
])('$seen', ({ events, pages, proposed }) => {
  const goal = proposeGoal({ events, pages });
  expect(goal).toEqual(proposed?.goal);
  expect(goal && proposalWords(goal)).toBe(proposed?.words);
});

test('the words of automatic events are names that the script sends', () => {
  for (const name of ['form_submit', 'file_download', 'outbound_link', 'email_link', 'phone_link'])
    expect([
      name,
      AUTOMATIC.has(name),
      proposalWords({ kind: 'event', event: name, props: {} }).includes(name),
    ]).toEqual([name, true, false]);
});
