// /.well-known/security.txt (RFC 9116): where to report vulnerabilities of this server. The operator sets it with SECURITY_CONTACT.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import { DAY_MS, startOfDay } from '../../vocabulary/time/time.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const SECURITY_TXT_PATH = '/.well-known/security.txt';
/** The RFC asks for less than a year. The date moves forward each day while the server runs. */
const VALID_DAYS = 180;

export function openSecurityTxt({
  config,
  now,
}: {
  config: Pick<Config, 'SECURITY_CONTACT' | 'BASE_URL'>;
  now(): number;
}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    checkIsRead(request, response);
    if (config.SECURITY_CONTACT === undefined)
      throw new Refusal('not_found', t('The operator of this server has not set a security contact.'));
    const lines = [
      `Contact: ${config.SECURITY_CONTACT}`,
      `Expires: ${new Date(startOfDay(now()) + VALID_DAYS * DAY_MS).toISOString()}`,
      'Preferred-Languages: en',
      ...(config.BASE_URL ? [`Canonical: ${new URL(SECURITY_TXT_PATH, config.BASE_URL).href}`] : []),
    ];
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'max-age=86400' });
    response.end(request.method === 'HEAD' ? undefined : `${lines.join('\n')}\n`);
  };
}
