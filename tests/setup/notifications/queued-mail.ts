// Mail that is queued and never sent: no server listens at its port.
import { readConfig } from '../../../server/config.ts';
import type { Directory } from '../../../server/directory/open.ts';
import { openLog } from '../../../server/process/log.ts';
import { type Mail, openMail } from '../../../server/messages/mail/mail.ts';

const MAIL_ENV = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Footfall <footfall@stats.example>' };

export const queuedMail = (directory: Directory, now: () => number, env: Record<string, string> = {}): Promise<Mail> =>
  openMail({ directory, config: readConfig({ ...MAIL_ENV, ...env }), now, log: openLog('silent') });
