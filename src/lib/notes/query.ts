// The notes of the dashboard's site.
import { Query } from '../api/query.svelte';
import type { Note } from '../api/types';
import type { Board } from '../view/board.svelte';

/** Those that speed and errors are compared at. */
export const releasesIn = (notes: Note[] = []): Note[] => notes.filter(({ kind }) => kind === 'release');

export const queryNotes = (board: Board): Query<Note[]> =>
  new Query(() => {
    const { id: site_id } = board.site;
    return { key: site_id, scope: site_id, run: (signal) => board.api.notes.list.query({ site_id }, { signal }) };
  });
