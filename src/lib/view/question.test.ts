import { expect, test } from 'vitest';
import { aiQuestion, alone, peopleQuestion, seriesQuestion } from './question';
import type { Filter, View } from './view';

const page: Filter = { dimension: 'page', operator: 'is', values: ['/'] };
const agent: Filter = { dimension: 'ai_agent', operator: 'is', values: ['GPTBot'] };
const view = (given: Partial<View>) =>
  ({ period: '7d', compare: 'previous', metric: 'visits', filters: [], ...given }) as View;

test('a question has the filters of its own table', () => {
  const both = view({ filters: [page, agent] });
  expect(peopleQuestion(both, 'site_1').filters).toEqual([page]);
  expect(aiQuestion(both, 'site_1').filters).toEqual([agent]);
  expect(peopleQuestion(view({ filters: [agent] }), 'site_1')).not.toHaveProperty('filters');
});

test('days are asked for with a period of days alone', () => {
  const days = { date_from: '2026-11-01', date_to: '2026-11-02', compare_from: '2026-10-01', compare_to: '2026-10-02' };
  expect(peopleQuestion(view(days), 'site_1')).toEqual({ site_id: 'site_1', period: '7d', compare: 'previous' });
  expect(peopleQuestion(view({ ...days, period: 'custom', compare: 'custom' }), 'site_1')).toEqual({
    site_id: 'site_1',
    period: 'custom',
    compare: 'custom',
    ...days,
  });
});

test('segments are asked for about people alone', () => {
  const segments = view({ segment: 'segment_1', versus: 'segment_2', isWithoutImported: true, interval: 'day' });
  const asked = { site_id: 'site_1', period: '7d', include_imported: false };
  const question = { ...asked, compare: 'previous', segment: 'segment_1', versus: 'segment_2' };
  expect(peopleQuestion(segments, 'site_1')).toEqual(question);
  expect(aiQuestion(segments, 'site_1')).toEqual({ ...asked, compare: 'none' });
  expect(seriesQuestion(segments, 'site_1')).toEqual({ ...question, metric: 'visits', interval: 'day' });
  expect(alone(peopleQuestion(segments, 'site_1'))).toEqual({ ...asked, compare: 'none', segment: 'segment_1' });
});
