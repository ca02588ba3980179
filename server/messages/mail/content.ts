// The parts of a mail, and the shape of a kind of mail.
/** Mails that people can unsubscribe from, by topic. Each text completes "No more mails …", in the answer of the address in them. */
export const TOPICS = {
  plan: 'about the trial and the plan’s limits',
  reports: 'with this report',
  alert: 'of this alert',
} as const satisfies Record<string, string>;

export type Topic = keyof typeof TOPICS;
/** A thing to unsubscribe from: a topic, or one list of it, such as one alert: `alert:acct_…__alert_…`. */
export type Subscription = Topic | `${Topic}:${string}`;

export type Content = {
  subject: string;
  paragraphs: string[];
  /** Follow the paragraphs. */
  blocks?: Block[];
  /** `path` starts with a slash: links lead only to this server. */
  button?: { label: string; path: string };
  /** Why somebody gets the mail from this host, if it is not because of their account. */
  reason?(host: string): string;
};

type Verdict = 'good' | 'bad' | 'same';
/** A row of a table: a name, its value, and how it changed. */
export type Row = {
  name: string;
  value: string;
  change?: { text: string; verdict: Verdict } | undefined;
  /** The path that the name links to. Starts with a slash. */
  path?: string;
};

export type Block =
  /** One large figure. `says`: what changed. */
  | { kind: 'figure'; label: string; value: string; says?: { text: string; verdict: Verdict } | undefined }
  /** `png`: in base64, 2 pixels for each one shown. It is part of the mail. */
  | { kind: 'picture'; png: string; alt: string; ends: [left: string, right: string] }
  | { kind: 'table'; title: string; rows: Row[] };

export type Kind<Data> = {
  /** `account`: people cannot unsubscribe, because it is about their access, their data or their money. */
  about: 'account' | Topic;
  /** The id of the list that a mail belongs to, if people unsubscribe from each list of the topic by itself. */
  listOf?(data: Data): string;
  /** After this time the mail is given up: a link in it would have ended, or nobody cares any more. */
  usefulForMs: number;
  /** True if the log of deliveries keeps nothing of it: the person may be gone. */
  isForgotten?: true;
  /** Values of `data` may be hostile: names go through `shownName`, parts of paths through `encodeURIComponent`. */
  write(data: Data): Content;
  /** For the preview and the tests. */
  sample: Data;
};

/** Keeps the type of the data that a kind is written from. */
export const kind = <Data>(row: Kind<Data>): Kind<Data> => row;
