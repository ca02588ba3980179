import { expect, test } from 'vitest';
import { forms } from './forms.ts';

test.each(forms('example.com', 'https://stats.example.com'))(
  'the snippet for $label is async, so that no page waits for Footfall',
  ({ code }) => {
    expect(code).toMatch(/\basync\b/);
    expect(code).not.toMatch(/\bdefer\b/);
  },
);
