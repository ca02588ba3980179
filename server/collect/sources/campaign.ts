// Reads the campaign tags of a link: `utm_*`, the less strict `ref` and `source`, and click identifiers, of which only the kind is kept.
import { readClick, type Click } from './clicks.ts';
import { cleanText, decodeFully } from '../../vocabulary/texts/spelling.ts';

const MAX_TAG_LENGTH = 255;

export type Campaign = {
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_content: string;
  utm_term: string;
  /** `ref` or `source`. Weaker than `utm_source`, since some sites use these parameters for other purposes. */
  ref: string;
  click: Click | undefined;
};

const UNTAGGED: Campaign = Object.freeze({
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_content: '',
  utm_term: '',
  ref: '',
  click: undefined,
});

export function readCampaign(query: URLSearchParams): Campaign {
  if (query.size === 0) return UNTAGGED;
  const tags = new Map<string, string>();
  for (const [name, value] of query) {
    const tag = name.toLowerCase();
    if (value !== '' && !tags.has(tag)) tags.set(tag, value);
  }
  const read = (name: string) => cleanText(decodeFully(tags.get(name) ?? ''), MAX_TAG_LENGTH);
  return {
    utm_source: read('utm_source'),
    utm_medium: read('utm_medium'),
    utm_campaign: read('utm_campaign'),
    utm_content: read('utm_content'),
    utm_term: read('utm_term'),
    ref: read('ref') || read('source'),
    click: readClick(query),
  };
}
