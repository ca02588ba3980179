// How people want numbers and dates to be written, where they have chosen it in their profile.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import {
  type ChosenHabits,
  type FirstDay,
  habitsOf,
  type Habits,
  NOTHING_CHOSEN,
  readLocale,
} from '../vocabulary/habits/habits.ts';
import { LANGUAGE_TAGS } from '../vocabulary/habits/languages.ts';
import type { Tables } from './schema.ts';

/** The longest tag that RFC 5646 asks programs to take. */
const MAX_TAG = 35;

export const languageTag = z
  .string()
  .max(MAX_TAG)
  .transform((tag, context) => {
    const locale = readLocale(tag);
    if (locale !== undefined) return locale;
    context.addIssue({ code: 'custom', message: 'must be a language with a known region, such as de-AT or en-US' });
    return z.NEVER;
  });

export const chosenHabits: z.ZodType<ChosenHabits> = z.strictObject({
  language: z.enum(LANGUAGE_TAGS).nullable().default(null),
  locale: languageTag.nullable(),
  hours: z.union([z.literal(12), z.literal(24)]).nullable(),
  first_day: z
    .int()
    .min(1)
    .max(7)
    .transform((day) => day as FirstDay)
    .nullable(),
});

type Whose = { userId: string } | { email: string };

/** The choices of somebody: none for strangers, and none where a later version has written them. */
export async function chosenBy(db: Kysely<Tables>, whose: Whose): Promise<ChosenHabits> {
  const users = db.selectFrom('users').select('habits');
  const row = await (
    'userId' in whose ? users.where('id', '=', whose.userId) : users.where('email', '=', whose.email)
  ).executeTakeFirst();
  return readChosen(row?.habits ?? null);
}

export function readChosen(text: string | null): ChosenHabits {
  return text === null ? NOTHING_CHOSEN : (chosenHabits.safeParse(JSON.parse(text)).data ?? NOTHING_CHOSEN);
}

/** The habits of a mail's recipient, whose browser is not known: those of most who speak a chosen language. English says nothing about a place. */
export async function habitsOfRecipient(db: Kysely<Tables>, email: string): Promise<Habits> {
  const chosen = await chosenBy(db, { email });
  const spoken = chosen.language === 'en' ? null : chosen.language;
  return habitsOf(chosen.locale ?? spoken, chosen);
}

export async function keepHabits(
  db: Kysely<Tables>,
  { userId }: { userId: string },
  chosen: ChosenHabits,
): Promise<void> {
  const isNothing = Object.values(chosen).every((value) => value === null);
  await db
    .updateTable('users')
    .set({ habits: isNothing ? null : JSON.stringify(chosen) })
    .where('id', '=', userId)
    .execute();
}
