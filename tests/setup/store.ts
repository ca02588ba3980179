// An event store in this process, in its own folder: `await using store = await testStore()`.
import { join } from 'node:path';
import { type EventStore, openStore } from '../../server/store/open.ts';
import { tempFolder } from './folder.ts';
import { copyEvents } from './stores/migrated-stores.ts';

export type TestStore = EventStore & AsyncDisposable;

export async function testStore(): Promise<TestStore> {
  const folder = await tempFolder();
  const path = join(folder.path, 'events');
  await copyEvents(path);
  const store = await openStore({ url: undefined, path });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
