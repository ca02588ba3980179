// Encrypts exports for another server, and reads those that another server has encrypted for this one: X25519 for the key that both agree on
// (RFC 7748), AES-256-GCM for the frames, each bound to its number and to whether it is the last. An account has a key of its own, so that no other
// account of a server can read what was meant for it.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { Refusal } from '../errors.ts';
import { KEY_BYTES } from '../vocabulary/imports/reading/sealed.ts';
import type { Directory } from './open.ts';
import { secretOf } from './server-keys.ts';
import { t } from '../vocabulary/habits/messages.ts';

const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
/** What stands before the bytes of a key in DER (RFC 8410). */
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_TEXT = /^footfall-key-([\w-]{43})$/;

/** Encrypts or decrypts a frame. */
type Frames = (frame: Buffer, place: { index: number; isLast: boolean }) => Buffer;

const rawOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
const publicKeyOf = (raw: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_DER, raw]), type: 'spki', format: 'der' });
const textOf = (key: KeyObject): string => `footfall-key-${rawOf(key).toString('base64url')}`;

async function ownKey(directory: Directory, accountId: string, now: number): Promise<KeyObject> {
  const secret = await secretOf(directory, 'receiving', now);
  const raw = Buffer.from(
    hkdfSync('sha256', Buffer.from(secret, 'hex'), accountId, 'footfall receiving key', KEY_BYTES),
  );
  return createPrivateKey({ key: Buffer.concat([PRIVATE_DER, raw]), type: 'pkcs8', format: 'der' });
}

/** The key that another server encrypts for, as text. */
export async function receivingKey(directory: Directory, accountId: string, now: number): Promise<string> {
  return textOf(createPublicKey(await ownKey(directory, accountId, now)));
}

/** Throws bad_request for text that is no key. */
export function readRecipient(text: string): Buffer {
  const [, encoded] = KEY_TEXT.exec(text) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64url');
  if (encoded === undefined || !canBeAgreedWith(key))
    throw new Refusal(
      'bad_request',
      t('The key must be the one that the other server shows: it begins with footfall-key-.'),
    );
  return key;
}

/** False for a point of low order, with which everybody agrees on the same key. */
function canBeAgreedWith(key: Buffer): boolean {
  try {
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey: publicKeyOf(key) });
    return true;
  } catch {
    return false;
  }
}

/** `keys`: the two public keys that stand at the head of the file. */
export function sealFor(recipient: string): { keys: Buffer; seal: Frames } {
  const to = readRecipient(recipient);
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const keys = Buffer.concat([rawOf(publicKey), to]);
  const key = agreedKey(privateKey, publicKeyOf(to), keys);
  return {
    keys,
    seal: (frame, place) => {
      const cipher = createCipheriv(ALGORITHM, key, nonceOf(place)).setAAD(contextOf(keys, place));
      return Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
    },
  };
}

/** Reads what was encrypted for an account of this server. Throws bad_request for another recipient. `keys`: of the head of the file. */
export async function unsealFor(directory: Directory, accountId: string, keys: Buffer, now: number): Promise<Frames> {
  const own = await ownKey(directory, accountId, now);
  if (!rawOf(createPublicKey(own)).equals(keys.subarray(KEY_BYTES)))
    throw new Refusal(
      'bad_request',
      t('This file was sealed for another server or account: export it again, for the key that is shown here.'),
    );
  const key = agreedKey(own, publicKeyOf(keys.subarray(0, KEY_BYTES)), keys);
  return (frame, place) => {
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(place), { authTagLength: TAG_BYTES });
    decipher.setAAD(contextOf(keys, place)).setAuthTag(frame.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(frame.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new Refusal('bad_request', t('This file was damaged or changed: export it again.'), { cause });
    }
  };
}

function agreedKey(own: KeyObject, other: KeyObject, keys: Buffer): Buffer {
  try {
    const shared = diffieHellman({ privateKey: own, publicKey: other });
    return Buffer.from(hkdfSync('sha256', shared, keys, 'footfall sealed export', KEY_BYTES));
  } catch (cause) {
    throw new Refusal('bad_request', t('This file was damaged or changed: export it again.'), { cause }); // a point of low order
  }
}

/** A key seals one file, so the number of a frame is used once. */
function nonceOf({ index }: { index: number }): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(index, 8);
  return nonce;
}

const contextOf = (keys: Buffer, { index, isLast }: { index: number; isLast: boolean }): Buffer =>
  Buffer.concat([keys, Buffer.from(`${index} ${isLast ? 'last' : 'more'}`)]);
