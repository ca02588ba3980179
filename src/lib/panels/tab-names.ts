// The tabs that an address may name. The page reads its address before the panels themselves (panels.ts) are loaded.
import type { TabNames } from '../view/view';

const TABS = {
  sources: ['channel', 'source', 'referrer', 'utm_campaign', 'assistants', 'search_terms'],
  pages: ['page', 'entry_page', 'exit_page', 'hostname'],
  places: ['map', 'country', 'region', 'city', 'language'],
  devices: ['browser', 'os', 'device', 'screen'],
  events: ['event', 'properties', 'payments'],
  ai_pages: ['ai_page'],
  ai_errors: ['ai_errors'],
  ai_agents: ['ai_agent', 'ai_purpose'],
} as const;

export type PanelName = keyof typeof TABS;

export const TAB_NAMES: TabNames = {
  ...TABS,
  // These name a funnel's id and a dimension, so they have no fixed list of values.
  funnel: [],
  funnel_by: [],
};
