// An event store in this process, in its own folder: `await using store = await testStore()`.
import { type EventStore, openStore } from '../../server/store/open.ts';
import { tempFolder } from './folder.ts';

export type TestStore = EventStore & AsyncDisposable;

export async function testStore(): Promise<TestStore> {
  const folder = await tempFolder();
  const store = await openStore({ url: undefined, path: folder.path });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
