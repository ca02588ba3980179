// What people read about webhooks: their formats, and how a delivery stands.
import { t, textsOf, tn } from '../../../../server/vocabulary/habits/messages.ts';
import type { WebhookFormat } from '../../../../server/vocabulary/settings/webhooks.ts';
import type { Deliveries } from '../../api/types';
import { ownDateAndTime } from '../../formats/format';

export const FORMATS: Record<WebhookFormat, { name: string; placeholder: string; hint: string }> = {
  standard: textsOf(['name', 'hint'], {
    name: 'Signed JSON',
    placeholder: 'https://example.com/webhooks/footfall',
    hint: 'An https address that takes POST requests. They are signed as Standard Webhooks says.',
  }),
  slack: textsOf(['hint'], {
    name: 'Slack',
    placeholder: 'https://hooks.slack.com/services/…',
    hint: 'In Slack, create an app with an incoming webhook for a channel. Mattermost takes this format too.',
  }),
  discord: textsOf(['hint'], {
    name: 'Discord',
    placeholder: 'https://discord.com/api/webhooks/…',
    hint: 'In Discord, open the channel’s settings, then Integrations, then Webhooks.',
  }),
};

type Delivery = Deliveries['entries'][number];

export function standingOf({ state, attempts, due_at, ended_at }: Delivery): string {
  if (state === 'delivered') return t('Delivered on {time}', { time: ownDateAndTime(ended_at ?? due_at) });
  if (attempts === 0) return state === 'waiting' ? t('Waits to be sent') : t('Not sent');
  if (state !== 'waiting') return tn(attempts, 'Given up after one attempt', 'Given up after {n} attempts');
  return tn(attempts, 'Next attempt on {time}, after one attempt', 'Next attempt on {time}, after {n} attempts', {
    time: ownDateAndTime(due_at),
  });
}

/** What the receiver said, or why it said nothing. */
export function answerOf({ status, answer }: Delivery): string {
  const says = answer ?? '';
  if (status === null) return says;
  return says === '' ? t('Answered {status}.', { status }) : t('Answered {status}: {says}', { status, says });
}
