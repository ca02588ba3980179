import { expect, test } from 'vitest';
import { layersOf } from './layers';

const point = (total: number, ...by: number[]) => ({ total, by }) as never;

test('each of the largest providers is a layer, and the others share one; those without visits are left out', () => {
  const providers = ['OpenAI', 'Anthropic', 'Google'];
  const layers = layersOf({ providers, points: [point(10, 4, 0, 3), point(3, 1, 0, 2)] }, ['series-2', 'series-3']);
  expect(layers).toEqual([
    { name: 'OpenAI', colour: 'series-2', values: [4, 1] },
    { name: 'All others', colour: 'before', values: [6, 2] },
  ]);
  expect(layersOf({ providers: ['OpenAI'], points: [point(1, 1), point(2, 2)] })).toEqual([
    { name: 'OpenAI', colour: 'series-2', values: [1, 2] },
  ]);
});
