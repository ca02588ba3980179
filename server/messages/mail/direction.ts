// The language and the direction of a mail, as attributes of its HTML. Mail programs drop the page around it, so the outermost table repeats its
// attributes. Mails from left to right say nothing of their direction, which is usual everywhere.
import { currentHabits, isTurned } from '../../vocabulary/habits/habits.ts';

/** Of the page. */
export const spoken = (): string => ` lang="${currentHabits().language}"${turned(' dir="rtl"')}`;

/** Of the outermost table. */
export const outermost = (): string => (currentHabits().language === 'en' ? '' : spoken());

/** For names and values: each keeps the direction of its own letters, and they stand in one column. Numbers end a line. */
export const ofItself = (side: 'start' | 'end'): string =>
  side === 'start' ? turned(' dir="auto" align="right"') : turned(' dir="auto" align="left"') || ' align="right"';

/** The same below a picture that runs from left to right. */
export const below = (side: 'left' | 'right'): string =>
  side === 'left' ? turned(' dir="auto" align="left"') : `${turned(' dir="auto"')} align="right"`;

/** For pictures of time, which begin on the left in every language, and for addresses. */
export const leftToRight = (): string => turned(' dir="ltr"');

const turned = (attributes: string): string => (isTurned() ? attributes : '');
