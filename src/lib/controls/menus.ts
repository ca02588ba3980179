// The menus of a page's header, in one file that is loaded beside the page.
export { default as CompareMenu } from './CompareMenu.svelte';
export { default as PeriodMenu } from './PeriodMenu.svelte';
export { default as SiteMenu } from './SiteMenu.svelte';
export { default as UserMenuItems } from './UserMenuItems.svelte';
