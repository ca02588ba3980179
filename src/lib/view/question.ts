// What a view asks the server.
import type { Question } from '../api/types.ts';
import { isOfAi } from '../formats/dimensions.ts';
import type { Filter, View } from './view.ts';

function ask(view: View, site_id: string, filters: Filter[]): Question {
  const { period, date_from, date_to, compare, compare_from, compare_to, isWithoutImported } = view;
  return {
    site_id,
    period,
    ...(period === 'custom' ? { date_from, date_to } : {}),
    compare,
    ...(compare === 'custom' ? { compare_from, compare_to } : {}),
    ...(filters.length > 0 ? { filters } : {}),
    ...(isWithoutImported ? { include_imported: false } : {}),
  };
}

/** The question about people. Filters on AI visits belong to another table and do not affect it. */
export function peopleQuestion(view: View, site_id: string): Question {
  const { segment, versus } = view;
  return {
    ...ask(
      view,
      site_id,
      view.filters.filter((filter) => !isOfAi(filter.dimension)),
    ),
    ...(segment ? { segment } : {}),
    ...(versus ? { versus } : {}),
  };
}

/** AI visits have no comparison when the view is compared with a segment, because segments contain only people. */
export function aiQuestion(view: View, site_id: string): Question {
  const asked = ask(
    view,
    site_id,
    view.filters.filter((filter) => isOfAi(filter.dimension)),
  );
  return view.versus ? { ...asked, compare: 'none' } : asked;
}

/** The same question, compared with nothing. */
export function alone<Asked extends Question>({ compare_from: _, compare_to: __, versus: ___, ...question }: Asked) {
  return { ...question, compare: 'none' as const };
}

/** The question about the chart's own line. */
export function seriesQuestion(view: View, site_id: string) {
  const { metric, interval } = view;
  return { ...peopleQuestion(view, site_id), metric, ...(interval ? { interval } : {}) };
}
