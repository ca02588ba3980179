// Asks a host that people name without a scheme: over TLS, and in plain HTTP if it may not speak TLS.
import type { Failure, Outcome, Outgoing } from './client.ts';

/** Failures after which the host may still answer in plain HTTP. */
const RETRIED: readonly Failure[] = ['unreachable', 'certificate', 'malformed'];

export async function getFromHost(
  outgoing: Outgoing,
  { host, path, accept }: { host: string; path: string; accept: string },
): Promise<Outcome> {
  const secure = await outgoing.get(`https://${host}${path}`, { accept });
  if (!secure.failure || !RETRIED.includes(secure.failure)) return secure;
  const plain = await outgoing.get(`http://${host}${path}`, { accept });
  return plain.answer || secure.failure === 'unreachable' ? plain : secure;
}
