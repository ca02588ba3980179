// The theme: light, dark or the system's. static/theme.js applies it before the first paint.

import { texts } from '../../../server/vocabulary/habits/messages.ts';
import { browser } from '$app/environment';

export const THEMES = texts({ system: 'System@@theme', light: 'Light', dark: 'Dark' });
export type Theme = keyof typeof THEMES;

/** A shared dashboard may be in a frame of another website's page, which chooses the theme then. */
export const isFramed = (): boolean => parent !== window;

function stored(): Theme {
  try {
    const chosen = localStorage.getItem('theme');
    return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
  } catch {
    return 'system';
  }
}

class ThemeChoice {
  #chosen = $state<Theme>(stored());
  /** Increases when the colours change, because canvases must be drawn again. */
  painted = $state(0);

  constructor() {
    if (!browser) return; // the build runs this once, outside a browser
    new MutationObserver(() => (this.painted += 1)).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['data-theme'],
    });
  }

  get chosen(): Theme {
    return this.#chosen;
  }

  set chosen(theme: Theme) {
    this.#chosen = theme;
    try {
      if (theme === 'system') localStorage.removeItem('theme');
      else localStorage.setItem('theme', theme);
    } catch {
      // Without storage the choice cannot be kept; the system's theme stays.
    }
    dispatchEvent(new Event('footfall:theme'));
  }
}

export const theme = new ThemeChoice();
