// Sign-in on a test's own directory, and its callers.
import type { IncomingHttpHeaders } from 'node:http';
import { openLog } from '../../../server/process/log.ts';
import { openSecurityLog } from '../../../server/process/security-log.ts';
import { type Caller, type Auth, openAuth } from '../../../server/accounts/sign-in/auth.ts';
import type { Directory } from '../../../server/directory/open.ts';
import { NOON } from '../clock.ts';

/** Headers of one of our own pages. */
export const PAGE = { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' };

export function caller(headers: IncomingHttpHeaders = PAGE, address = '203.0.113.1'): Caller {
  return { headers, addressHash: () => address };
}

export async function testAuth(
  directory: Directory,
  options: Partial<Parameters<typeof openAuth>[0]> = {},
): Promise<Auth> {
  const now = options.now ?? (() => NOON);
  return openAuth({
    directory,
    config: { SIGNUP: 'closed', TLS_CERT: undefined },
    baseUrl: undefined,
    now,
    agentOf: () => undefined,
    mail: { isOn: false, send: () => Promise.resolve(false), moveRefusals: () => Promise.resolve() },
    security: openSecurityLog({ log: openLog('silent'), now }),
    ...options,
  });
}
