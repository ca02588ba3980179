// The search of the documentation. It runs in the browser, over one file with all texts.
import MiniSearch from 'minisearch';
import type { Section } from './pages.ts';

export type Found = Pick<Section, 'page' | 'title' | 'anchor' | 'heading'> & { excerpt: string; terms: string[] };

const MOST = 12;
const BEFORE = 50;
const AROUND = 170;

export function openSearch(sections: readonly Section[]): (words: string) => Found[] {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['heading', 'title', 'text'],
    tokenize: (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [],
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (words) => {
    const found = index.search(words, {
      boost: { heading: 4, title: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    });
    return found.slice(0, MOST).flatMap(({ id, terms }) => {
      const section = sections[id as number];
      return section ? [{ ...section, terms, excerpt: excerptOf(section.text, terms) }] : [];
    });
  };
}

/** The text around the first word that was found. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0));
  const from = Number.isFinite(first) && first > BEFORE ? text.indexOf(' ', first - BEFORE) + 1 : 0;
  const part = text.slice(from, from + AROUND);
  const isCut = from + AROUND < text.length;
  return `${from > 0 ? '… ' : ''}${isCut ? `${part.slice(0, part.lastIndexOf(' '))} …` : part}`;
}
