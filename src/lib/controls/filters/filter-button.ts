// The button that adds a filter. Whatever the filters are, it stays: it takes the focus from what goes with them.

export const filterButton = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-filter]');
