// Whose habits a text is written by on a server, which writes for many readers at a time: those of the one whom it was begun for, also after it
// has waited for numbers. Otherwise the usual ones.
import { AsyncLocalStorage } from 'node:async_hooks';
import { followHabits, type Habits, USUAL_HABITS } from '../vocabulary/habits/habits.ts';

const reading = new AsyncLocalStorage<Habits>();
followHabits(() => reading.getStore() ?? USUAL_HABITS);

/** Writes a text for a reader. What it returns is text: whatever is kept for others must not depend on who read it first. */
export const inHabits = <Text>(habits: Habits, write: () => Text): Text => reading.run(habits, write);
