import { hash } from 'node:crypto';

/** Returns 128 bits of a hash as 22 characters. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
