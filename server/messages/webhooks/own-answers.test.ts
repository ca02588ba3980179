import { expect, it } from 'vitest';
import { speakForeign } from '../../../tests/setup/notifications/foreign.ts';
import { inHabits } from '../../process/habits.ts';
import { habitsOf } from '../../vocabulary/habits/habits.ts';
import { ownAnswer, readAnswer, redirectAnswer } from './own-answers.ts';

it('an answer of Footfall is kept in English and read in the reader’s language; one of a receiver stays', () => {
  using _foreign = speakForeign();
  const kept = [ownAnswer('timeout'), ownAnswer('too_many'), redirectAnswer('b.example'), 'Name', null];
  expect(kept.slice(0, 3)).toEqual([
    'The host did not answer within 15 seconds.',
    'Not sent: 1000 deliveries of this account were waiting.',
    'Redirects to b.example: redirects are not followed, so enter the final address.',
  ]);
  const german = habitsOf('de', { language: 'de' });
  expect(inHabits(german, () => [ownAnswer('timeout'), ...kept.map(readAnswer)])).toEqual([
    'The host did not answer within 15 seconds.',
    'øøø øøøø øøø øøø øøøøøø øøøøøø 15 øøøøøøø.',
    'øøø øøøø: 1000 øøøøøøøøøø øø øøøø øøøøøøø øøøø øøøøøøø.',
    'øøøøøøøøø øø b.example: øøøøøøøøø øøø øøø øøøøøøøø, øø øøøøø øøø øøøøø øøøøøøø.',
    'Name',
    null,
  ]);
});
