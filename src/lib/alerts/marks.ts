// What alerts have noticed, as marks on the chart: notes at the time at which it began.
import { wordsOf } from '../../../server/vocabulary/alert-words.ts';
import { dayIn } from '../../../server/vocabulary/zones.ts';
import type { AlertHistory, Mark } from '../api-types';

export function marksOf(history: AlertHistory, { domain, zone }: { domain: string; zone: string }): Mark[] {
  return history.map((one) => {
    const { title, lines } = wordsOf(one, { domain, zone, show: (text) => text });
    const time = one.started_at;
    return { id: one.id, day: dayIn(zone, time), text: [title, ...lines].join('. '), is_private: false, time };
  });
}
