import { type Ask, isAnyUnanswered } from './query.svelte';

/**
 * For a Query that would delay others: it asks only once every other part of the page has its answer. Until then it keeps what it shows, unless
 * that is of another scope.
 */
export function askLast<O>(ask: () => Ask<O> | undefined): () => Ask<O> | undefined {
  let last: Ask<O> | undefined;
  return () => {
    const next = ask();
    if (!next || next.key === last?.key || !isAnyUnanswered()) return (last = next);
    return next.scope === last?.scope ? last : undefined;
  };
}
