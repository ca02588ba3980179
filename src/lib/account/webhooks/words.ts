// What people read about webhooks: their formats, and how a delivery stands.
import type { WebhookFormat } from '../../../../server/vocabulary/settings/webhooks.ts';
import type { Deliveries } from '../../api/types';
import { clockTime, date, plural } from '../../formats/format';

export const FORMATS: Record<WebhookFormat, { name: string; placeholder: string; hint: string }> = {
  standard: {
    name: 'Signed JSON',
    placeholder: 'https://example.com/webhooks/footfall',
    hint: 'An https address that takes POST requests. They are signed as Standard Webhooks says.',
  },
  slack: {
    name: 'Slack',
    placeholder: 'https://hooks.slack.com/services/…',
    hint: 'In Slack, create an app with an incoming webhook for a channel. Mattermost takes this format too.',
  },
  discord: {
    name: 'Discord',
    placeholder: 'https://discord.com/api/webhooks/…',
    hint: 'In Discord, open the channel’s settings, then Integrations, then Webhooks.',
  },
};

type Delivery = Deliveries['entries'][number];

const at = (time: number) => `${date(time)}, ${clockTime(time)}`;

export function standingOf({ state, attempts, due_at, ended_at }: Delivery): string {
  if (state === 'delivered') return `Delivered on ${at(ended_at ?? due_at)}`;
  const tries = plural(attempts, 'one attempt', `${attempts} attempts`);
  if (state === 'waiting') return attempts === 0 ? 'Waits to be sent' : `Next attempt on ${at(due_at)}, after ${tries}`;
  return attempts === 0 ? 'Not sent' : `Given up after ${tries}`;
}

/** What the receiver said, or why it said nothing. */
export function answerOf({ status, answer }: Delivery): string {
  const says = answer ?? '';
  if (status === null) return says;
  return says === '' ? `Answered ${status}.` : `Answered ${status}: ${says}`;
}
