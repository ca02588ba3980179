// The menus of a page's header, in one file that is loaded beside the page.
export { default as CompareMenu } from './period/CompareMenu.svelte';
export { default as PeriodMenu } from './period/PeriodMenu.svelte';
export { default as SiteMenu } from '../sites/SiteMenu.svelte';
export { default as UserMenuItems } from './user/UserMenuItems.svelte';
