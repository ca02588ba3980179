// While a panel loads, it has the shape of last time, so that nothing below it moves when the answer arrives.
import { isAnyUnanswered } from '../../api/query.svelte';
import { recall, remember } from '../../browser/storage';

/**
 * `key`: of the panel on its site. `isLine`: it has nothing to show, and is one line: at once, or if others stand beside it, from the next visit on,
 * because they would take its place.
 */
type Panel = {
  key: string;
  phase: 'loading' | 'empty' | 'ready' | 'failed';
  isLine: boolean;
  hasNeighbours?: boolean;
};

export class KeptShape {
  #panel: () => Panel;
  /** As the panel's body is drawn. */
  drawn = $state<DOMRectReadOnly>();
  #kept = $derived.by(() => recall(`shape:${this.#panel().key}`)?.split(' ') ?? []);
  #isLoading = $derived.by(() => this.#panel().phase === 'loading');
  #settled = $state<string>();
  /** On the first visit nobody knows how high the panels beside it will be, until they have their answers. */
  isUnsettled = $derived.by(() => this.#kept.length === 0 && this.#settled !== this.#panel().key);
  /** The height of the body while it loads; undefined otherwise. */
  expected = $derived.by(() => (this.#isLoading ? this.#kept[0] : undefined));
  isLine = $derived.by(() => {
    const wasLine = this.#kept[1] === 'line';
    const { isLine, hasNeighbours = false } = this.#panel();
    return this.#isLoading ? wasLine : isLine && (wasLine || !hasNeighbours);
  });

  constructor(panel: () => Panel) {
    this.#panel = panel;
    $effect(() => {
      if (!isAnyUnanswered()) this.#settled = panel().key;
    });
    $effect(() => {
      const { key, phase, isLine } = panel();
      if ((phase === 'ready' || phase === 'empty') && this.drawn?.height)
        remember(`shape:${key}`, `${this.drawn.height}px${isLine ? ' line' : ''}`);
    });
  }
}
