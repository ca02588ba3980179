import { expect, test } from 'vitest';
import { LEFT_OUT, type LeftOutReason, whyLeftOut } from './left-out.ts';

/** Columns of the products' exports that nothing is made of. */
const COLUMNS: Record<LeftOutReason, string[]> = {
  reading: ['total_scroll_depth', 'time_on_page', 'scrolled_percentage', 'duration_seconds'],
  property: ['property', 'value', 'event_key', 'string_value', 'data_type'],
  title: ['page_title', 'Title'],
  person: ['user_id', 'distinct_id', 'ip', 'user_agent', 'session_id'],
  host: ['hostname', 'Host name'],
  city: ['city'],
  unknown: ['link_url', 'screen_orientation', 'constructor', ''],
};

test('each reason is told by the names of columns', () => {
  expect(Object.keys(COLUMNS)).toEqual(Object.keys(LEFT_OUT));
  for (const [reason, columns] of Object.entries(COLUMNS))
    for (const column of columns) expect([column, whyLeftOut(column)]).toEqual([column, reason]);
});
