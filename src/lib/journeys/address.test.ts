import { expect, test } from 'vitest';
import { type JourneyView, readJourney, USUAL_JOURNEY, writeJourney } from './address';

const read = (query: string) => readJourney(new URLSearchParams(query));
function written(view: JourneyView): string {
  const params = new URLSearchParams();
  writeJourney(params, view);
  return params.toString();
}

test.each<[string, JourneyView]>([
  ['journey=page%3A%2Fpricing', { start: { kind: 'page', value: '/pricing' }, direction: 'forwards', steps: 4 }],
  ['direction=backwards', { direction: 'backwards', steps: 4 }],
  ['steps=2', { direction: 'forwards', steps: 2 }],
  ['steps=6', { direction: 'forwards', steps: 6 }],
  [
    'journey=event%3Aa%3Ab&direction=backwards&steps=5',
    { start: { kind: 'event', value: 'a:b' }, direction: 'backwards', steps: 5 },
  ],
])('%s is read and written', (query, view) => {
  expect(read(query)).toEqual(view);
  expect(written(view)).toBe(query);
});

test.each(['', 'steps=1', 'steps=7', 'steps=2.5', 'direction=up', 'journey=page:', 'journey=tab:/', 'journey=/'])(
  'the usual journey is shown for "%s"',
  (query) => {
    expect(read(query)).toBeUndefined();
    expect(written(USUAL_JOURNEY)).toBe('');
  },
);

test('a start has at most 2,048 characters', () => {
  expect(read(`journey=page:${'a'.repeat(2048)}`)?.start?.value).toHaveLength(2048);
  expect(read(`journey=page:${'a'.repeat(2049)}`)).toBeUndefined();
});
