// A part of the page that is not loaded again while it is out of the window.
import type { Attachment } from 'svelte/attachments';
import { inView } from './in-view';

type TickInView<Tick> = { tick: () => Tick | undefined; watch: Attachment<HTMLElement> };

/** `tick`: its last value in the window. `watch` goes on the part's element. */
export function tickInView<Tick>(latest: () => Tick): TickInView<Tick> {
  let isInView = $state(true);
  let seen: Tick | undefined;
  return {
    tick: () => (isInView ? (seen = latest()) : seen),
    watch: inView((now) => (isInView = now)),
  };
}
