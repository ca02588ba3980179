import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../questions/channels.ts';
import { AI_EXPLANATIONS, goalExplanation, METRIC_EXPLANATIONS } from './explanations.ts';
import { METRICS } from './metrics.ts';

/** The most that a tooltip holds in three lines. */
const MAX_LENGTH = 110;

describe.each([
  ['metric', METRIC_EXPLANATIONS],
  ['channel', CHANNELS],
  ['other figure', { ...AI_EXPLANATIONS, goal: goalExplanation() }],
])('each %s', (_, explanations) => {
  test.each(Object.entries(explanations))('is explained in a line of plain English: %s', (name, text) => {
    expect(text.length).toBeLessThanOrEqual(MAX_LENGTH);
    expect(text).toMatch(/^[A-Z][^_`<>]+\.$/);
    expect(text.toLowerCase(), 'repeats its name only').not.toBe(`${name.replaceAll('_', ' ').toLowerCase()}.`);
  });

  test('has a sentence of its own', () => {
    expect(new Set(Object.values(explanations)).size).toBe(Object.keys(explanations).length);
  });
});

test('the explanations follow the table of metrics', () => {
  expect(Object.keys(METRIC_EXPLANATIONS)).toEqual(Object.keys(METRICS));
});
