// A passkey in software, as WebAuthn Level 3 says, which can also answer wrongly. Made without the library that the server uses.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const FLAGS = { present: 1, verified: 4, attested: 64 };
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

type Answering = {
  origin: string;
  rpId?: string;
  /** False for a device that did not check who uses it. */
  isVerified?: boolean;
  counter?: number;
};

export function softPasskey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let userHandle = '';

  const authData = (flags: number, { origin, rpId, isVerified = true, counter = 0 }: Answering, more = Buffer.of()) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | FLAGS.present | (isVerified ? FLAGS.verified : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId ?? new URL(origin).hostname), head, more]);
  };
  const clientData = (type: string, challenge: string, { origin }: Answering) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = <Response extends object>(response: Response) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key' as const,
    response,
    clientExtensionResults: {},
  });

  return {
    /** Answers `navigator.credentials.create`. */
    create(options: { challenge: string; user: { id: string } }, how: Answering) {
      userHandle = options.user.id;
      // COSE: kty EC2, alg ES256, crv P-256, x, y
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, key]);
      const data = authData(FLAGS.attested, how, attested);
      // CBOR: { fmt: "none", attStmt: {}, authData }
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.of(0x58, data.length),
        data,
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', options.challenge, how).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      });
    },
    /** Answers `navigator.credentials.get`. */
    get(options: { challenge: string }, how: Answering & { userHandle?: string }) {
      const data = authData(0, how);
      const client = clientData('webauthn.get', options.challenge, how);
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        userHandle: how.userHandle ?? userHandle,
      });
    },
  };
}
