// What alerts have noticed and threads that mention the site, as marks on the chart: notes at the time at which it was.
import { goto } from '$app/navigation';
import { wordsOf } from '../../../../server/vocabulary/settings/alert-words.ts';
import { dayIn } from '../../../../server/vocabulary/time/zones.ts';
import type { Mark } from '../../api/types';
import type { Board } from '../../view/board.svelte';

export async function loadMarks(board: Board, signal: AbortSignal): Promise<Mark[]> {
  const { zone } = board;
  const { id: site_id, domain } = board.site;
  const [history, mentions] = await Promise.all([
    board.api.alerts.history.query({ site_id }, { signal }),
    board.api.mentions.marks.query({ site_id }, { signal }),
  ]);
  const markAt = (time: number) => ({ day: dayIn(zone, time), is_private: false, kind: 'note' as const, time });
  // A mention has a mark of its own.
  const alerts = history.filter(({ kind }) => kind !== 'mention');
  const noticed = alerts.map((one) => {
    const { title, lines } = wordsOf(one, { domain, zone, show: (text) => text });
    const open = () => void goto(`${board.linkTo(`/${domain}/settings/reports`)}#alerts`);
    return { id: one.id, text: [title, ...lines].join('. '), open, ...markAt(one.started_at) };
  });
  const found = mentions.map(({ id, text, time }) => ({ id, text, open: showMentions, ...markAt(time) }));
  return [...noticed, ...found];
}

const showMentions = () => document.querySelector('[data-panel=mentions]')?.scrollIntoView();
