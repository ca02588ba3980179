import { expect, it } from 'vitest';
import { speakForeign } from '../../../tests/setup/notifications/foreign.ts';
import { inHabits } from '../../process/habits.ts';
import { habitsOf } from '../../vocabulary/habits/habits.ts';
import { ownAnswer, readAnswer } from './own-answers.ts';

it('an answer of Footfall is kept in English and read in the reader’s language; one of a receiver stays', () => {
  using _foreign = speakForeign();
  const kept = [ownAnswer('timeout'), ownAnswer('too_many'), 'Name', null];
  expect(kept.slice(0, 2)).toEqual([
    'The host did not answer within 15 seconds.',
    'Not sent: 1000 deliveries of this account were waiting.',
  ]);
  const german = habitsOf('de', { language: 'de' });
  expect(inHabits(german, () => [ownAnswer('timeout'), ...kept.map(readAnswer)])).toEqual([
    'The host did not answer within 15 seconds.',
    'øøø øøøø øøø øøø øøøøøø øøøøøø 15 øøøøøøø.',
    'øøø øøøø: 1000 øøøøøøøøøø øø øøøø øøøøøøø øøøø øøøøøøø.',
    'Name',
    null,
  ]);
});
