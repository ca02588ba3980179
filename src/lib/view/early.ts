// The figures and the chart of a dashboard are asked for before it is set up, while its code and its session still load. A browser that has
// shown a site before knows its id, so it need not even wait for the list of sites.
import { readZone, UTC } from '../../../server/vocabulary/time/zones.ts';
import type { Question, Site } from '../api/types';
import { recall, remember } from '../browser/storage';
import { PANEL_NAMES } from '../panels/panel-names';
import { peopleQuestion, seriesQuestion } from './question';
import type { Api } from '../api/client';
import type { Shared } from './link-view';
import { readView } from './view';

/** An answer that no part of the page has taken by then would be too old. */
const KEPT_MS = 5000;
/** Question → its answer. */
const answers = new Map<string, Promise<unknown>>();

type Known = Pick<Site, 'id' | 'timezone'>;
const storageKey = (domain: string) => `site:${domain}`;

/** The site as this browser knows it, which may no longer be true. */
export function knownSite(domain: string): Known | undefined {
  const [id, timezone = UTC] = recall(storageKey(domain))?.split(' ') ?? [];
  return id ? { id, timezone } : undefined;
}

/** Where this browser keeps which site was open last. */
export const LAST_SITE = 'site';

export function keepKnown({ domain, id, timezone }: Site): void {
  remember(storageKey(domain), `${id} ${timezone ?? UTC}`);
  remember(LAST_SITE, domain);
}

/**
 * Resolves when the questions are on their way, before the page is busy with being set up. `api`: one of its own, so that their request does
 * not hold up others.
 */
export async function askEarly(
  api: Api,
  { id, timezone }: Known,
  { search, shared }: { search: string; shared?: Shared },
): Promise<void> {
  const today = { now: Date.now(), zone: readZone(timezone ?? UTC) ?? UTC };
  const asked = readView(new URLSearchParams(search), today, PANEL_NAMES);
  const view = shared?.hold(asked, today) ?? asked;
  const [figures, series] = [peopleQuestion(view, id), seriesQuestion(view, id)];
  answers.set(JSON.stringify(figures), api.stats.summary.query(figures));
  answers.set(JSON.stringify(series), api.stats.timeseries.query(series));
  for (const answer of answers.values()) answer.catch(() => undefined); // whoever takes it asks again
  setTimeout(() => answers.clear(), KEPT_MS);
  await new Promise((resolve) => setTimeout(resolve)); // what is asked in one task goes out after it
}

/** The answer to a question that was asked early, else what `ask` returns. It is used once: later it might be old. */
export function askedEarly<O>(question: Question, ask: () => Promise<O>): Promise<O> {
  const key = JSON.stringify(question);
  const answer = answers.get(key) as Promise<O> | undefined;
  answers.delete(key);
  return answer?.catch(ask) ?? ask();
}
