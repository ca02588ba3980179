// A table of names that is loaded when one of them is shown.
import { createSubscriber } from 'svelte/reactivity';

/** `get`: the table, once it is there. Components that ask for it render again then. If it cannot be loaded, they stay as they are. */
export function onDemand<Table>(load: () => Promise<Table>) {
  let table: Table | undefined;
  const prepare = async (): Promise<void> => {
    table ??= await load();
  };
  const shows = createSubscriber((update) => {
    if (table === undefined) void prepare().then(update, () => undefined);
  });
  const get = (): Table | undefined => {
    shows();
    return table;
  };
  return { prepare, get };
}
