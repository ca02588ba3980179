// Deletes a site: its rows disappear from every answer immediately, and from every file within a minute.
import type { SiteId } from '../vocabulary/event.ts';
import type { Windows } from '../live/windows.ts';
import type { Queue } from '../queue/queue.ts';
import type { Writer } from '../queue/writer/writer.ts';
import { cleanFiles, type Directory } from '../directory/open.ts';
import { deletedBefore, deleteSite, finishDeletion } from '../sites/sites.ts';
import type { Versions } from '../stats/answer-cache.ts';
import type { EventStore } from '../store/open.ts';

export type Deletion = {
  /** Deletes a site and everything recorded for it. Throws not_found. */
  deleteSite(siteId: SiteId): Promise<void>;
  /** Rewrites the files that still hold rows of deleted sites. Called by a job. */
  erase(): Promise<void>;
  /** Deletes events that arrived after their site's deletion, for sites deleted before an instant. Called by a job. */
  finish(before: number): Promise<void>;
};

type Parts = {
  directory: Directory;
  queue: Queue;
  store: EventStore;
  windows: Windows;
  writer: Pick<Writer, 'drain'>;
  versions: Pick<Versions, 'deleted'>;
  now(): number;
};

export function openDeletion({ directory, queue, store, windows, writer, versions, now }: Parts): Deletion {
  /** Deleted sites whose files are rewritten already. `finish` removes them from the set. */
  const erased = new Set<SiteId>();

  const forget = async (siteId: SiteId) => {
    await queue.forget(siteId);
    await windows.forget(siteId);
    await store.deleteSite(siteId);
  };
  const eraseFiles = async () => {
    await store.eraseDeleted();
    await queue.erase();
    await cleanFiles(directory);
  };

  return {
    deleteSite: async (siteId) => {
      await deleteSite(directory, { siteId }, now());
      await writer.drain();
      await forget(siteId);
      versions.deleted(siteId);
    },
    erase: async () => {
      const left = (await deletedBefore(directory, Number.MAX_SAFE_INTEGER)).filter((siteId) => !erased.has(siteId));
      if (left.length === 0) return;
      for (const siteId of left) await forget(siteId); // another process may have stored events since
      await eraseFiles();
      for (const siteId of left) erased.add(siteId);
    },
    finish: async (before) => {
      const sites = await deletedBefore(directory, before);
      if (sites.length === 0) return;
      for (const siteId of sites) await forget(siteId);
      await eraseFiles();
      for (const siteId of sites) {
        await finishDeletion(directory, siteId);
        erased.delete(siteId);
      }
    },
  };
}
