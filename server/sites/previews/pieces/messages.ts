// What the script of a piece says by itself: src/embed/piece.ts has no catalogues, so each piece brings these along in its language.
import { message, type Messages, say } from '../../../vocabulary/habits/messages.ts';

const SAID = [
  message('Visitors now: {count}'),
  message('fewer than {fewest}'),
  message('No page'),
  message('Direct'),
  message('Unknown'),
];

/** As an attribute of its data. None in English, in which they are in the script. */
export function messagesOfPiece(): { messages?: string } {
  const said: Messages = Object.fromEntries(SAID.map((text) => [text, say(text)]));
  return SAID.every((text) => said[text] === text) ? {} : { messages: JSON.stringify(said) };
}
