// Whose habits a picture is written by.
import { habitsOfAddress } from '../../process/habits.ts';
import { type Habits, habitsOf } from '../../vocabulary/habits/habits.ts';
import type { Language } from '../../vocabulary/habits/languages.ts';
import type { PictureFormat } from '../../vocabulary/settings/pictures.ts';

/** Their letters are not in the font of thread.ts, which would draw boxes. An SVG has the fonts of whoever looks at it. */
export const WITHOUT_LETTERS: readonly Language[] = ['ja', 'zh', 'ar'];

/** `lang`: of its address. */
export function habitsOfPicture(lang: string | undefined, format: PictureFormat): Habits {
  const habits = habitsOfAddress(lang);
  return format === 'png' && WITHOUT_LETTERS.includes(habits.language) ? habitsOf(lang) : habits;
}
