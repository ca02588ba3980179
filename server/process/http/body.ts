// Reads request bodies in full, up to a limit. A Content-Length above the limit is refused before reading.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '../../errors.ts';

/** Returns the exact bytes, for signatures. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        reject(tooLarge(maxBytes));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('aborted', () => reject(new Refusal('bad_request', 'The request ended before its body did.')));
  });
}

/** Parses a JSON body. The content type must be one of `types`. */
export async function readJson(
  request: IncomingMessage,
  options: { maxBytes: number; types: readonly string[] },
): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!options.types.includes(type))
    throw new Refusal('unsupported_media_type', `The content type must be ${options.types.join(' or ')}.`);
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity')
    throw new Refusal('unsupported_media_type', 'Compressed bodies are not supported: send the body uncompressed.');
  const body = await readBody(request, options.maxBytes);
  // Decoding would replace invalid bytes, and store text that nobody sent (RFC 8259, 8.1: JSON is UTF-8).
  if (!isUtf8(body)) throw new Refusal('bad_request', 'The body must be JSON in UTF-8.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal('bad_request', 'The body must be JSON.');
  }
}

/**
 * True if the unread rest of a refused body is long. Node reads the rest before the next request, so a long one is worth closing the
 * connection for.
 */
export function hasLongBody(sent: IncomingHttpHeaders): boolean {
  return sent['transfer-encoding'] !== undefined || Number(sent['content-length'] ?? 0) > 64 * 1024;
}

/** True if the request says that it has a body, and the body is not a long one. */
export const hasShortBody = (sent: IncomingHttpHeaders): boolean =>
  Number(sent['content-length'] ?? 0) > 0 && !hasLongBody(sent);

function tooLarge(maxBytes: number): Refusal {
  return new Refusal('payload_too_large', `The body must be at most ${maxBytes} bytes.`);
}
