// The names of the goals by id. Filters and lists hold only ids.
import { SvelteMap } from 'svelte/reactivity';
import { t } from '../../../server/vocabulary/habits/messages.ts';

const names = new SvelteMap<string, string>();

export function rememberNames(goals: readonly { id: string; name: string }[]): void {
  for (const { id, name } of goals) if (names.get(id) !== name) names.set(id, name);
}

/** The goal may have been deleted, or its name may not have been loaded yet. */
export const goalName = (id: string): string => names.get(id) ?? t('Unknown goal');
