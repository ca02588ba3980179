import { describe, expect, it, vi } from 'vitest';
import { layersOf } from '../../ai/layers';
import { drawLayers, edges, reachOf } from './layers';

const SERIES = {
  providers: ['OpenAI', 'Anthropic', 'Meta'],
  points: [
    { time: 0, total: 10, by: [4, 0, 0] },
    { time: 1, total: 9, by: [2, 7, 0] },
  ],
};

describe('layers of AI visits', () => {
  it('are one for each provider and one for all others, without those that never came', () => {
    expect(layersOf(SERIES).map(({ name, values }) => [name, ...values])).toEqual([
      ['OpenAI', 4, 2],
      ['Anthropic', 0, 7],
      ['All others', 6, 0],
    ]);
    expect(layersOf({ providers: [], points: [{ time: 0, total: 0, by: [] }] })).toEqual([]);
  });

  it('keep the colour of a provider when another one is hidden', () => {
    const colours = layersOf(SERIES).map(({ colour }) => colour);
    expect(colours).toEqual(['series-2', 'series-3', 'before']);
    expect(new Set(colours).size).toBe(colours.length);
  });

  it('have only the hues that lines leave them: the other providers are among the others', () => {
    expect(layersOf(SERIES, ['series-6']).map(({ name, colour, values }) => [name, colour, ...values])).toEqual([
      ['OpenAI', 'series-6', 4, 2],
      ['All others', 'before', 6, 7],
    ]);
  });

  it('are stacked, up to half of the height', () => {
    const layers = layersOf(SERIES);
    expect(edges(layers)).toEqual([
      { lower: [0, 0], upper: [4, 2] },
      { lower: [4, 2], upper: [4, 9] },
      { lower: [4, 9], upper: [10, 9] },
    ]);
    expect([reachOf(layers), reachOf([])]).toEqual([20, 0]);
  });

  it.each([true, false])('leave the canvas as they found it (bars: %s)', (isBars) => {
    vi.stubGlobal('devicePixelRatio', 1);
    let state = { globalAlpha: 1 };
    const saved: (typeof state)[] = [];
    const ctx = new Proxy({} as Record<string, unknown>, {
      get: (_ctx, name) => {
        if (name === 'save') return () => saved.push({ ...state });
        if (name === 'restore') return () => (state = saved.pop() ?? state);
        return () => undefined;
      },
      set: (_ctx, name, value) => Reflect.set(state, name, value),
    });
    const plot = { ctx, bbox: { left: 0, top: 0, width: 100, height: 50 }, valToPos: (value: number) => value };
    drawLayers(plot as never, { layers: layersOf(SERIES), top: 20, isBars, colours: {} as never });
    expect([state, saved]).toEqual([{ globalAlpha: 1 }, []]);
    vi.unstubAllGlobals();
  });
});
