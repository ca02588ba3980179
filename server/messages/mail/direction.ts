// The language and the direction of a mail, as attributes of its HTML. Mail programs drop the page around it, so the outermost table repeats its
// attributes. Mails from left to right say nothing of their direction, which is usual everywhere.
import { currentHabits } from '../../vocabulary/habits/habits.ts';
import { isRightToLeft } from '../../vocabulary/habits/languages.ts';

/** True while a mail is written from right to left. */
export const isTurned = (): boolean => isRightToLeft(currentHabits().language);

/** Of the page. */
export const spoken = (): string => ` lang="${currentHabits().language}"${turned(' dir="rtl"')}`;

/** Of the outermost table. */
export const outermost = (): string => (currentHabits().language === 'en' ? '' : spoken());

/** Where lines end, and with them columns of numbers. */
export const endSide = (): 'left' | 'right' => (isTurned() ? 'left' : 'right');

/** For names and values: each keeps the direction of its own letters, and they stand in one column. */
export const ofItself = (side: 'start' | 'end'): string => {
  const align = side === 'end' ? ` align="${endSide()}"` : turned(' align="right"');
  return `${turned(' dir="auto"')}${align}`;
};

/** For pictures of time, which begin on the left in every language, and for addresses. */
export const leftToRight = (): string => turned(' dir="ltr"');

const turned = (attributes: string): string => (isTurned() ? attributes : '');
