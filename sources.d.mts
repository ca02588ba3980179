// What vite.config.ts takes from sources.mjs.
export const hashOfSources: () => string;
