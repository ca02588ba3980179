// A certificate for one test, made by the openssl that PostgreSQL's package contains.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `names` are those of subjectAltName, as `DNS:stats.example`. The agent trusts the certificate under any host. */
export async function certificate(folder: string, options: { names?: string[] } = {}) {
  const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
  const names = options.names ? ['-addext', `subjectAltName=${options.names.join(',')}`] : [];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2', ...names];
  await promisify(execFile)('openssl', [...made, '-out', files.TLS_CERT, '-keyout', files.TLS_KEY]);
  const ca = await readFile(files.TLS_CERT, 'utf8');
  return { files, agent: new Agent({ ca, checkServerIdentity: () => undefined, keepAlive: true }) };
}
