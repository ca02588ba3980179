// Light, dark, or what the system says. static/theme.js does the work, before the first paint.

import { browser } from '$app/environment';

export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export type Theme = keyof typeof THEMES;

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
  /** Grows when the page changes colours: what is drawn on a canvas has to be drawn again. */
  painted = $state(0);

  constructor() {
    if (!browser) return; // the build runs this file once, outside a browser
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
      // Without storage the choice lasts as long as nothing does: the system's theme stays.
    }
    dispatchEvent(new Event('footfall:theme'));
  }
}

export const theme = new ThemeChoice();
