// The panels and lists that an address may name. The page reads its address before the panels themselves (panels.ts) are loaded.
import type { PanelNames } from '../view/view.ts';

const PANELS = [
  'sources',
  'pages',
  'places',
  'devices',
  'events',
  'payments',
  'ai_pages',
  'ai_errors',
  'ai_agents',
] as const;
export type PanelName = (typeof PANELS)[number];

export const PANEL_NAMES: PanelNames = {
  panels: [...PANELS, 'funnel', 'funnel_by'],
  lists: ['assistants', 'search_terms', 'payments', 'ai_errors', 'speed'],
};
