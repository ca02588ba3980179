// Reads the browser's preferred language (RFC 9110 `Accept-Language`) as primary subtag and region: `de`, `pt-BR`, `es-419`.
// Scripts and variants are left out: they are of little use to a site's owner, and make a visitor easier to fingerprint.
import { bytesFor } from '../../process/bounded-memory.ts';
import { remember } from '../cache.ts';

const MAX_LENGTH = 256;
const TAG = /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_]([a-z]{2}|\d{3}))?(?:$|[-_])/i;

const read = remember((header) => {
  let best = '';
  let bestWeight = 0;
  for (const item of header.split(',')) {
    const [tag = '', ...parameters] = item.split(';');
    const found = TAG.exec(tag.trim());
    if (!found) continue;
    const weight = weightOf(parameters);
    if (weight <= bestWeight) continue;
    const [, language = '', region] = found;
    best = region ? `${language.toLowerCase()}-${region.toUpperCase()}` : language.toLowerCase();
    bestWeight = weight;
  }
  return best;
}, bytesFor('languages'));

function weightOf(parameters: string[]): number {
  const q = parameters.find((parameter) => parameter.trim().toLowerCase().startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.trim().slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}

/** Reads `de` or `pt-BR` from an `Accept-Language` header (or a single tag); '' when it has none. */
export function readLanguage(acceptLanguage: string): string {
  return read(acceptLanguage.slice(0, MAX_LENGTH));
}
