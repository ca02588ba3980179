// The queries of a card: each is about one row, which is added as a filter.
import type { Board } from '../view/board.svelte';
import { Query } from '../api/query.svelte';
import type { Filter } from '../view/view';

type About<Asked, Answer> = {
  /** The row, as filters. */
  filters: () => readonly Filter[];
  asked: () => Asked;
  ask: (asked: Asked, options: { signal: AbortSignal }) => Promise<Answer>;
};

/** Call it while a component is being set up. The answer of another row is never shown. */
export const rowQuery = <Asked, Answer>(board: Board, { filters, asked, ask }: About<Asked, Answer>): Query<Answer> =>
  new Query<Answer>(
    () => {
      const question = asked();
      return {
        key: JSON.stringify(question),
        scope: JSON.stringify([board.site.id, filters()]),
        run: (signal) => ask(question, { signal }),
      };
    },
    () => board.tick,
  );
