// Encrypts secrets that the server must be able to read again, such as those of authenticator apps (AES-256-GCM). The key comes from
// SECRET_KEY, which a stolen database does not contain, or else from the directory.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Directory } from './open.ts';
import { secretOf } from './server-keys.ts';

export type Encryption = {
  /** `context` names the row. A text that was copied to another row cannot be decrypted there. */
  encrypt(text: string, context: string): string;
  /** Throws if the key has changed, or if the text or its context were changed. */
  decrypt(encrypted: string, context: string): string;
};

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12; // NIST SP 800-38D
const TAG_BYTES = 16;

/** Texts that were encrypted without SECRET_KEY can still be read after it is set. */
export async function openEncryption(
  directory: Directory,
  secretKey: string | undefined,
  now: number,
): Promise<Encryption> {
  const keys: Record<string, Buffer> = { own: keyFrom(await secretOf(directory, 'encryption', now)) };
  if (secretKey !== undefined) keys['given'] = keyFrom(secretKey);
  const current = secretKey === undefined ? 'own' : 'given';
  const keyOf = (name: string): Buffer => {
    const key = keys[name];
    if (!key) throw new Error('SECRET_KEY is not set, but secrets in the directory were encrypted with it.');
    return key;
  };
  return {
    encrypt: (text, context) => `${current}.${seal(keyOf(current), text, context)}`,
    decrypt: (encrypted, context) => {
      const [name = '', body = ''] = encrypted.split('.', 2);
      return unseal(keyOf(name), body, context);
    },
  };
}

/** Encrypts with a key of 32 bytes. */
export function seal(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Throws for another key or context, and for a text that was changed. */
export function unseal(key: Buffer, body: string, context: string): string {
  const sealed = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  return text.toString('utf8');
}

function keyFrom(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'footfall secrets in the directory', 32));
}
