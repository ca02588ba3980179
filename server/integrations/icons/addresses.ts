// The addresses of icons. Each contains a signature, which the server gives out only with a row that names the host. So nobody can make the
// server contact a host of their choice, and an `<img>` needs neither a session nor a share token.
import { createHmac, timingSafeEqual } from 'node:crypto';

const ADDRESS = /^\/icons\/([a-z0-9.-]{1,253})\/([\w-]{22})\.png$/;
const SIGNATURE_BYTES = 16;

type Addresses = {
  of(host: string): string;
  /** Returns the host of an address that this server gave out; undefined for any other address. */
  hostOf(pathname: string): string | undefined;
  /**
   * Returns the key of the host's stored icon. It is a hash, because host names come from visitors, and a deleted site's must not remain in
   * any file.
   */
  keyOf(host: string): string;
};

export function openAddresses(secret: string): Addresses {
  const hash = (text: string) => createHmac('sha256', secret).update(text).digest();
  const signatureOf = (host: string) => hash(`address ${host}`).subarray(0, SIGNATURE_BYTES);
  return {
    of: (host) => `/icons/${host}/${signatureOf(host).toString('base64url')}.png`,
    hostOf: (pathname) => {
      const [, host = '', given = ''] = ADDRESS.exec(pathname) ?? [];
      const signature = Buffer.from(given, 'base64url');
      const isOurs = signature.length === SIGNATURE_BYTES && timingSafeEqual(signature, signatureOf(host));
      return isOurs ? host : undefined;
    },
    keyOf: (host) => hash(`stored ${host}`).toString('base64url'),
  };
}
