// A message as its sender writes it, before a format makes a body of it.
import type { MessageType } from '../../vocabulary/settings/webhooks.ts';

export type Message = {
  type: MessageType;
  /** What Slack and Discord show, in plain text: one line, and the lines below it. May hold names and addresses from strangers. */
  title: string;
  lines: string[];
  /** The page of this server that shows more, such as `/example.com?period=7d`. */
  path: string;
  /** The member `data` of the format `standard`. */
  data: object;
};
