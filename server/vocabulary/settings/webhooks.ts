// Webhooks: their formats, what they send, and their limits. For the server and the dashboard.
import { DAY_MS } from '../time/time.ts';

export const WEBHOOK_FORMATS = ['standard', 'slack', 'discord'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** What a message is about. Receivers see this as `type`. */
export type MessageType = 'test' | 'report' | 'alert.started' | 'alert.ended';

export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_NAME = 100;
/** After a rotation both secrets sign for this long, so that receivers can be changed without losing a message. */
export const BOTH_SECRETS_MS = DAY_MS;
/** How long a delivery is retried. */
export const RETRIED_MS = DAY_MS;
/** How long the log remembers a delivery. Until then its key is taken. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;
