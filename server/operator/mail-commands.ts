// The operator's commands for mail.
import { z } from 'zod';
import type { Directory } from '../directory/open.ts';
import { openLog } from '../process/log.ts';
import type { Mail } from '../messages/mail/mail.ts';
import { message } from '../vocabulary/habits/messages.ts';
import { isoOf } from '../vocabulary/time/time.ts';
import { command, type Command, type Context, wholeNumber } from './command-line.ts';
import { withDirectory } from './open-directory.ts';

export const mailCommands: Command[] = [
  command('mail test', {
    summary: message('Send a test mail at once, and show what the mail server answers'),
    onlyReads: true,
    options: z.object({ to: z.string().meta({ value: 'EMAIL' }).describe(message('E-mail address to send it to')) }),
    run: ({ to }, context) =>
      withDirectory(context, async (directory) => {
        const { normaliseEmail } = await import('../accounts/accounts.ts');
        const mail = await mailOf(directory, context);
        return { answer: await mail.sendTest(normaliseEmail(to)) };
      }),
  }),
  command('mail log', {
    summary: message('Show the last mails: to whom, when, and what the mail server answered'),
    onlyReads: true,
    options: z.object({
      last: wholeNumber(10_000).default(100).meta({ value: 'N' }).describe(message('How many mails, the newest first')),
    }),
    run: ({ last }, context) =>
      withDirectory(context, async (directory) => {
        const { listMails } = await import('../messages/mail/queue.ts');
        const mails = await listMails(directory, last);
        return {
          mails: mails.map(({ kind, recipient, state, attempts, answer, ...mail }) => ({
            kind,
            to: recipient,
            state,
            attempts,
            answer,
            created_at: isoOf(mail.created_at),
            next_attempt_at: state === 'waiting' ? isoOf(mail.due_at) : null,
            ended_at: isoOf(mail.ended_at),
          })),
        };
      }),
  }),
];

export async function mailOf(directory: Directory, { config, now }: Context): Promise<Mail> {
  const { openMail } = await import('../messages/mail/mail.ts');
  return openMail({ directory, config, now: () => now, log: openLog(config.LOG_LEVEL) });
}
