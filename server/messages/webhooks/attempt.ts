// One attempt: writes a delivery in its webhook's format, sends it, and says in words that help what came of it.
import type { Encryption } from '../../directory/encryption.ts';
import type { Answer, Outgoing } from '../../process/outgoing/client.ts';
import { retryAfterMs } from '../../process/outgoing/retry-after.ts';
import { BODIES } from './bodies.ts';
import type { Message } from './messages.ts';
import { ownAnswer, redirectAnswer } from './own-answers.ts';
import type { Claimed, Outcome } from './queue.ts';
import { signedHeaders } from './signature.ts';
import { openWebhook } from './stored.ts';

export type Post = { outgoing: Outgoing; encryption: Encryption; origin: string };

/** `now` is the time of the attempt. */
export async function attempt(
  { outgoing, encryption, origin }: Post,
  { delivery, webhook }: Claimed,
  now: number,
): Promise<Outcome> {
  const message = JSON.parse(delivery.message) as Message;
  const body = JSON.stringify(BODIES[webhook.format]({ message, createdAt: delivery.created_at, origin }));
  let opened: ReturnType<typeof openWebhook>;
  try {
    opened = openWebhook(webhook, encryption, now);
  } catch {
    return refused('no_address');
  }
  const { url, secrets } = opened;
  const signed = secrets.length > 0 ? signedHeaders(secrets, { id: delivery.id, body, at: now }) : {};
  const headers = { accept: '*/*', 'content-type': 'application/json', ...signed };
  const { answer, failure } = await outgoing.post(url, { headers, body });
  return answer ? outcomeOf(answer, now) : refused(failure);
}

export const refused = (why: Parameters<typeof ownAnswer>[0]): Outcome => ({
  result: 'refused',
  status: null,
  answer: ownAnswer(why),
});

function outcomeOf(answer: Answer, now: number): Outcome {
  const { status } = answer;
  const result = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'refused';
  return { result, status, answer: wordsOf(answer), pauseMs: retryAfterMs(answer, now) };
}

function wordsOf({ status, headers, url, body }: Answer): string {
  const target = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url) : null;
  if (target) return redirectAnswer(target.host);
  return body.toString('utf8').toWellFormed().replaceAll('\0', ' ').trim();
}
