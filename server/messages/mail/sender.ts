// Hands one mail to the mail server, and says whether a later attempt is worth it.
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { type Config, isLoopbackHost } from '../../config.ts';
import type { Letter } from './layout.ts';
import { ATTEMPT_MS } from './queue.ts';

export type Envelope = {
  to: string;
  /** The same in all attempts, so that a mail that was sent twice after a kill can be recognised. */
  id: string;
  /** A page that unsubscribes by one click. */
  unsubscribe: string | undefined;
};

export type Sent =
  | { isAccepted: true; answer: string }
  | {
      isAccepted: false;
      answer: string;
      /** True if the server will never take this mail: the address is wrong, for example. */
      isFinal: boolean;
      /** True if the server itself is in trouble or refuses us, so that other mails would fail too. */
      isServerTrouble: boolean;
    };

export type Sender = (letter: Letter, envelope: Envelope) => Promise<Sent>;

/** `stop` ends the attempts that are under way. */
export function openSender(
  { url, from }: { url: string; from: NonNullable<Config['MAIL_FROM']> },
  { stop, attemptMs = ATTEMPT_MS }: { stop: AbortSignal; attemptMs?: number },
): Sender {
  const transport = createTransport({
    url,
    // Mails hold links that give access. Unless the operator says otherwise, they cross a network only over TLS.
    ...(!url.includes('requireTLS=') && { requireTLS: !isLoopbackHost(new URL(url).hostname) }),
    connectionTimeout: attemptMs,
    greetingTimeout: attemptMs,
    socketTimeout: attemptMs,
    dnsTimeout: attemptMs,
  });
  const host = from.address.slice(from.address.lastIndexOf('@') + 1);

  return async ({ subject, text, html, images }, { to, id, unsubscribe }) => {
    const headers = unsubscribe && {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    try {
      const { response } = await transport.sendMail({
        from,
        to: { name: '', address: to }, // an object is not parsed, so it cannot name several recipients
        messageId: `<${id}@${host}>`,
        subject,
        text,
        html,
        attachments: images.map(({ name, png }) => ({
          filename: `${name}.png`,
          content: png,
          contentType: 'image/png',
          cid: name,
          contentDisposition: 'inline' as const,
        })),
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]),
      });
      return { isAccepted: true, answer: response };
    } catch (error) {
      return refusalOf(error);
    }
  };
}

const FAILED = z.object({
  message: z.string(),
  command: z.string().optional(),
  response: z.string().optional(),
  responseCode: z.number().optional(),
});

/** Answers to the recipient and to the text are about the mail. All others are about the server, or about our access to it. */
function refusalOf(error: unknown): Sent {
  const { data } = FAILED.safeParse(error);
  const isAboutMail = data?.responseCode !== undefined && (data.command === 'RCPT TO' || data.command === 'DATA');
  const isFinal = isAboutMail && (data.responseCode ?? 0) >= 500;
  const answer = data?.response ?? data?.message ?? String(error);
  return { isAccepted: false, answer, isFinal, isServerTrouble: !isAboutMail };
}
