// Requests a page from a host that is given without a scheme: over TLS first, and over plain HTTP if the host may not speak TLS.
import type { Failure, Outcome, Outgoing } from './client.ts';

/** Failures after which the host may still answer over plain HTTP. */
const RETRIED: readonly Failure[] = ['unreachable', 'certificate', 'malformed'];

export async function getFromHost(
  outgoing: Pick<Outgoing, 'get'>,
  { host, path, accept }: { host: string; path: string; accept: string },
): Promise<Outcome> {
  const secure = await outgoing.get(`https://${host}${path}`, { accept });
  if (!secure.failure || !RETRIED.includes(secure.failure)) return secure;
  const plain = await outgoing.get(`http://${host}${path}`, { accept });
  return plain.answer || secure.failure === 'unreachable' ? plain : secure;
}
