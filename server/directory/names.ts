// Checks names that people give to keys and links.
import { Refusal } from '../errors.ts';
import { t } from '../vocabulary/habits/messages.ts';

const MAX_NAME_LENGTH = 100;

export function checkName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    throw new Refusal(
      'bad_request',
      t('The name must have 1 to {MAX_NAME_LENGTH} characters, without control characters.', { MAX_NAME_LENGTH }),
    );
  return name;
}
