// The settings of a site as a page edits them: changes are collected, and one Save sends them together.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { invalidate } from '$app/navigation';
import { api } from '../api/client';
import { Query } from '../api/query.svelte';
import { Task } from '../api/task.svelte';
import type { Settings } from '../api/types';

export type Changes = Partial<Settings>;

/** What the dashboard shows, too. */
const SHOWN = ['paused', 'timezone', 'currency'] as const;

export class SettingsForm {
  readonly query: Query<Settings>;
  readonly task = new Task();
  /** What has been done, in words. */
  said = $state('');
  /** What differs from the saved settings. */
  changes = $state.raw<Changes>({});
  #siteId: () => string;

  /** Call it while a component is being set up. */
  constructor(siteId: () => string) {
    this.#siteId = siteId;
    this.query = new Query<Settings>(() => ({
      key: siteId(),
      scope: siteId(),
      run: (signal) => api.sites.settings.query({ site_id: siteId() }, { signal }),
    }));
  }

  get isChanged(): boolean {
    return Object.keys(this.changes).length > 0;
  }

  edit = (changes: Changes): void => {
    const saved: Changes = this.query.data ?? {};
    const isOther = ([name, value]: [string, unknown]) =>
      JSON.stringify(value) !== JSON.stringify(saved[name as keyof Settings]);
    this.changes = Object.fromEntries(Object.entries({ ...this.changes, ...changes }).filter(isOther));
    this.said = '';
  };

  /** The visits from all networks that were left out count again. */
  countAllNetworks = (): Promise<boolean> =>
    this.task.run(async () => {
      const site_id = this.#siteId();
      const { own_visits } = await api.sites.ownVisits.mutate({ site_id, visits: 'forget' });
      this.query.put((saved) => ({ ...saved, own_visits })); // texts that somebody is typing stay
      this.edit({});
      this.said = t('Visits from all networks count.');
    });

  /** The texts that people have typed follow the saved settings again. */
  discard = (): void => {
    this.changes = {};
    this.task.trouble = '';
    this.query.put(structuredClone);
  };

  save = (done = t('Saved.'), changes: Changes = this.changes): Promise<boolean> => {
    this.said = '';
    return this.task.run(async () => {
      const { timezone, own_visits: own, ...others } = changes;
      const zone = timezone ? { timezone } : {}; // a chosen time zone can be changed, but not removed
      const site_id = this.#siteId();
      if (own) await api.sites.ownVisits.mutate({ site_id, visits: own.are_left_out ? 'leave_out' : 'count' });
      this.query.data = await api.sites.change.mutate({ site_id, ...others, ...zone });
      this.changes = {};
      this.said = done;
      if (SHOWN.some((name) => changes[name] !== undefined)) await invalidate('footfall:session');
    });
  };
}
